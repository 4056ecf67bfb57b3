"""Simple case folding, one character to one, in which anchors and table headings are compared."""


def fold_case(text: str) -> str:
    """Give `text` under simple case folding.

    >>> fold_case("STRA\\u1e9eE")
    'straße'
    """
    return text.lower() if text.isascii() else "".join(map(fold_character, text))


def fold_character(character: str) -> str:
    """Give the simple case fold of one character."""
    # A fold to two characters (ß to ss) is not simple; the lower case is, unless it too has two (İ).
    for folded in (character.casefold(), character.lower()):
        if len(folded) == 1:
            return folded
    return character
