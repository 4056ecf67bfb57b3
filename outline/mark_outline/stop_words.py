"""Words that a question holds and an answer need not: dropped from queries, never from the index (O5).

Data, in the languages that queries come in; English whole, the others by their most frequent question words.
"""

from typing import Final

_ENGLISH = """
a about above after again all also am an and any are aren't as at be because been before being below between both
but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each few for from further
had hadn't has hasn't have haven't having he her here hers herself him himself his how how's i i'd i'll i'm i've if
in into is isn't it it's its itself just let let's me more most my myself no nor not of off on once only or other
our ours ourselves out over own please same shall she should shouldn't so some such tell than that that's the their
theirs them themselves then there there's these they they're this those through to too under until up upon us very
was wasn't we we're were weren't what what's when where where's which while who who's whom whose why will with won't
would wouldn't you you're your yours yourself yourselves
"""
_GERMAN = """
aber als am an auch auf aus bei bin bis da das dass dem den der des die dies diese dieser dieses doch du ein eine
einem einen einer eines er es für hat hatte ich ihr im in ist ja kann man mein mit nach nicht noch nur oder sich
sie sind so um und uns vom von vor wann war warum was welche welchem welchen welcher welches wenn wer werden wie
wieso wir wird wo wozu zu zum zur über
"""
_FRENCH = """
au aux avec ce ces cet cette comment dans de des du elle en est et il ils je la le les leur lui mais mes mon ne nous
on ou où par pas pour pourquoi qu quand que quel quelle quelles quels qui sa sans ses si son sont sur tu un une vous
à été être
"""
_SPANISH = """
al con como cómo cual cuál cuáles cuando cuándo de del donde dónde el ella en es esta este esto están está fue la
las le lo los más mi no nos o para pero por porque qué que quien quién se sin sobre son su sus un una y ya yo
"""
_PORTUGUESE = """
ao aos as com como da das de do dos e ela ele em essa esse esta este eu foi na nas não no nos o onde os para pela
pelo por porque qual quais quando que quem se sem seu sua são um uma você à é
"""
_ITALIAN = """
al alla anche che chi ci come con cosa cui da dal dalla dei del della delle di dove e gli ha i il in io la le lo ma
mi nel nella non o per perché più qual quale quali quando quanto si sono sua suo sul sulla un una uno è
"""
_RUSSIAN = """
а без был была были было быть в во вот все вы где да для до его ее если есть еще же за и из или их к как какая какие
какой ко когда которая которые который кто ли мне мы на не нет но о об он она они от по почему при с со так также то
только у что чтобы эта эти это этот я
"""

STOP_WORDS: Final = frozenset(
    " ".join((_ENGLISH, _GERMAN, _FRENCH, _SPANISH, _PORTUGUESE, _ITALIAN, _RUSSIAN)).split()
)
"""Lower-cased stop words of all languages together."""
