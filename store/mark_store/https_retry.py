"""What is tried again, and after how long: back-off that doubles, with jitter, and a server's own wish.

Pure: whoever tries says which attempt it was and throws the dice.
"""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

ATTEMPTS: Final = 4
FIRST_PAUSE: Final = 0.2
LONGEST_PAUSE: Final = 5.0
"""Seconds between attempts; a server may wish for longer ones."""
_MOST_DIGITS = 9


class Again(Exception):  # noqa: N818 - it is caught by the loop that tries again, and is no answer to anybody
    """An attempt failed in a way that makes another one safe; `after` is in seconds, as the server wishes."""

    def __init__(self, reason: str, after: float = 0.0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.after = after


def pause_before(attempt: int, wished: float, chance: float) -> float:
    """Seconds to wait after an attempt, counted from 1; `chance` from 0 to 1 makes half of the back-off.

    >>> pause_before(1, 0, 0.0), pause_before(3, 0, 1.0), pause_before(1, 7, 0.5)
    (0.1, 0.8, 7.15)
    """
    backing_off = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** (attempt - 1)) * (0.5 + chance / 2)
    # Those who were told to wait come back spread out, too.
    return wished + backing_off if wished else backing_off


def stated_pause(header: str | None) -> float:
    """Seconds that a `Retry-After` asks for, as a number or a date; 0 when it says nothing that can be read.

    >>> stated_pause("2"), stated_pause("soon"), stated_pause("Thu, 01 Jan 1970 00:00:00 GMT")
    (2.0, 0.0, 0.0)
    """
    text = (header or "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:_MOST_DIGITS])
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return 0.0
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (aware - datetime.now(UTC)).total_seconds())
