"""Words that change what a text says: negations, numbers spelled out, obligations, quantities, conditions.

Data for `differences`, lower-cased. A list is never complete; whatever is no plain word counts as weighty
anyway.
"""

from typing import Final

_NEGATIONS = """
no not nor non none never neither nobody nothing nowhere without cannot except unless lacks lacking hardly
barely scarcely rarely seldom false true yes off on un kein keine keinen keinem keiner keines nicht nie
niemals niemand nichts weder ohne außer ne pas jamais aucun aucune rien sans ni personne sauf no sin nunca
jamás ningún ninguno ninguna nada nadie tampoco salvo não sem nunca nenhum nenhuma nada ninguém nem non senza
mai nessuno nessuna niente nulla né niet geen nooit zonder inte ingen aldrig utan ikke ingen aldri uten ej nie
bez nigdy żaden не нет ни без никогда нельзя никто ничего değil yok hayır لا ليس لم لن غير بدون बिना नहीं मत
không chưa chẳng
"""
_NUMBERS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million
billion dozen half third quarter first second fourth fifth sixth seventh eighth ninth tenth once twice double
triple single both null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf hundert tausend halb un
deux trois quatre cinq sept huit neuf dix cent mille uno dos tres cuatro cinco seis siete ocho nueve diez cien
mil um dois três quatro sete oito nove dez cem due tre quattro cinque sei sette otto dieci cento один два три
четыре пять шесть семь восемь девять десять сто тысяча
"""
_MODALS = """
must shall should may might can could will would always only all any some every each few many most least more
less fewer before after until since above below under over minimum maximum increase decrease increased
decreased rise fall up down left right high low higher lower enabled disabled enable disable allow allowed
allows deny denied denies forbidden required optional deprecated supported unsupported public private internal
external monday tuesday wednesday thursday friday saturday sunday january february march april june july
august september october november december today tomorrow yesterday daily weekly monthly yearly hourly
"""

WEIGHTY: Final = frozenset(f"{_NEGATIONS} {_NUMBERS} {_MODALS}".split())
"""Words that are never a mere difference of wording."""
WEIGHTY_CHARACTERS: Final = frozenset("不没沒無无非未否毋勿莫别別ないぬず없안못ไม่")
"""Characters of negation in scripts that put no blanks between words."""
