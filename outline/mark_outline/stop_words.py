"""Words that a question holds and an answer need not: dropped from queries, never from the index (O5).

Data, in the languages that queries come in: English at length, the others by their most frequent words. What
also means something in a technical text is left out, whatever its language: `os`, `ci`, `ha`, `di`, `es`,
`su`, `mit`, `bin`, `die`, `let`, `ours`.
"""

from typing import Final

_ENGLISH = """
a about after again all also am an and any are aren't as at be because been before being between both but by
can can't cannot could couldn't did didn't do does doesn't doing don't during each for from get had hadn't
has hasn't have haven't having he her here hers him his how how's i i'd i'll i'm i've if in into is isn't it
it's its me more most much my no nor not of on once only or other our out over please shall she should
shouldn't so some such tell than that that's the their them then there there's these they they're this those
through to too up upon very was wasn't we we're were weren't what what's when where where's which while who
who's whom whose why will with won't would wouldn't you you're your
"""
_GERMAN = """
aber als auf aus bei das dass dem den der des dies diese dieser dieses doch du ein eine einem einen einer
eines er für hatte ich ihr ist ja kann mein nach nicht noch nur oder sich sie sind um und uns vom von vor
wann warum welche welchem welchen welcher welches wenn wer werden wie wieso wir wird wo wozu zu zum zur über
"""
_FRENCH = """
au aux avec ce ces cet cette dans de des du elle et il ils je la le les leur lui mais mon ne nous où par pas
pourquoi qu quand que quel quelle quelles quels qui ses sont sur tu un une vous à été être
"""
_SPANISH = """
al con cómo cual cuál cuáles cuando cuándo de del donde dónde el ella en esta este esto están está fue la
las le lo los más nos o pero porque qué que quien quién se sobre sus un una y yo
"""
_PORTUGUESE = """
ao aos como da das de dos e ela ele essa esse esta este foi na nas não nos o onde para pela pelo por porque
qual quais quando que quem se sem seu são um uma você à é
"""
_ITALIAN = """
al alla anche che chi con cui da dal dalla dei del della delle gli i il io la le nel nella non o perché più
qual quale quali quando quanto sono sul sulla un una uno è
"""
_RUSSIAN = """
а без был была были было быть в во вот все вы где да для до его ее если есть еще же за и из или их к как
какая какие какой ко когда которая которые который кто ли мне мы на не нет но о об он она они от по почему
при с со так также то только у что чтобы эта эти это этот я
"""

STOP_WORDS: Final = frozenset(
    " ".join((_ENGLISH, _GERMAN, _FRENCH, _SPANISH, _PORTUGUESE, _ITALIAN, _RUSSIAN)).split()
)
"""Lower-cased stop words of all languages together."""
