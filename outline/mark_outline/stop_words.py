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
through to too up upon very vs was wasn't we we're were weren't what what's when where where's which while who
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
а без более был была были было быть в во вот все всего вы где да для до его ее если есть еще же за зачем и из
или их к как какая какие каким какими каких какого какое какой каком какому какую кем ко когда кого ком кому
которая которого которое которой котором которому которую которые который которых кто куда ли между мне можно
мы на не нет но о об он она они откуда от по почему при с сами свое своего своей своем свои своих свою себя
сколько со так такая также такие такое такой такую то только у чего чей чем чему что чтобы чья эта эти это
этого этой этом этот эту я является являются
"""
_ARABIC = """
أن أنا أو أي أية أين إلى إن إنه أنه أيضا الا التي الذي الذين اللذان اللتان اللواتي بعد بماذا بين تم تلك ثم
حتى حول خلال دون ذلك عبر عن عند عندما على عليه عليها عما عن غير فقط في فيها فيه قبل قد كان كانت كل كم كما
كيف لا لدى لكن لم لماذا لن له لها ليس ما ماذا مع ممن من منذ منه منها متى مما نحن هذا هذه هل هم هما هنا هناك
هو هي و وكان وهو وهي يتم يكون أم إذا
"""

STOP_WORDS: Final = frozenset(
    " ".join((_ENGLISH, _GERMAN, _FRENCH, _SPANISH, _PORTUGUESE, _ITALIAN, _RUSSIAN, _ARABIC)).split()
)
"""Lower-cased stop words of all languages together."""
