"""Which predicates a question asks for, in the built-in words and in those of a user."""

import pytest

from mark_expand import PredicateWords
from mark_expand.predicates import is_asked_for
from mark_outline import terms


def asked(question: str, **own: tuple[str, ...]) -> set[str]:
    """Of four predicates those that a question asks for."""
    words = PredicateWords(tuple((name.replace("_", "-"), sayings) for name, sayings in own.items()))
    return set(words.asked_for(("depends-on", "by", "cites", "Gehört-zu"), terms(question)))


@pytest.mark.proves("HP4")
@pytest.mark.parametrize(
    ("question", "saying", "found"),
    [
        ("Was hängt von der Fähre ab?", "hängt ab von", True),
        ("Was HAENGT hier, was HÄNGT da ab?", "hangt ab", True),
        ("Was hängt hier?", "hängt ab von", False),
        ("Feribot neye muhtaçtır?", "MUHTAÇ", True),
        ("Feribot neye muhtaçtır?", "tır", False),
        ("渡轮取决于什么", "取决于", True),
        ("渡轮取自什么", "取决于", False),
        ("เรือเกี่ยวข้องกับอะไร", "เกี่ยวข้อง", True),
        ("وما هي مُتَطَلَّبات العبّارة", "متطلب", True),
        ("x", "", False),
        ("x", "?!", False),
    ],
)
def test_a_saying_asks_when_each_of_its_terms_begins_a_term(question: str, saying: str, found: bool) -> None:
    assert asked(question, cites=(saying,)) == ({"cites"} if found else set())
    assert asked(question, cites=("zzz", saying)) == ({"cites"} if found else set())


@pytest.mark.proves("HP4")
def test_the_words_of_a_user_stand_beside_the_built_in_ones_and_for_any_predicate() -> None:
    assert asked("what is needed") == {"depends-on"}
    assert asked("what is needed", depends_on=("muhtaç",)) == {"depends-on"}
    assert asked("muhtaç", depends_on=("muhtaç",), by=("muhta",)) == {"depends-on", "by"}
    assert asked("Wessen Teil ist es?", GEHÖRT_ZU=("Teil",)) == {"Gehört-zu"}


@pytest.mark.proves("HP1", "HP4")
@pytest.mark.parametrize("question", ["which song does it depend on", "Was braucht es", "tides", "*", ""])
def test_without_words_of_a_user_the_built_in_ones_decide(question: str) -> None:
    predicates = ("depends-on", "by", "cites", "Gehört-zu")
    assert asked(question) == {one for one in predicates if is_asked_for(one, terms(question))}
