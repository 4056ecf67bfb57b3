"""Points in time, as this package reads, compares and prints them: UTC throughout."""

import time
from datetime import UTC, datetime, timedelta

# A file may change twice within one tick of its file system's clock (4 to 10 ms on Linux); a time stamp
# that was this fresh when it was read proves nothing the next time.
SETTLING_SECONDS = 0.05

_EPOCH = datetime(1970, 1, 1)
_FIRST = (datetime.min - _EPOCH) // timedelta(milliseconds=1)
_LAST = (datetime.max - _EPOCH) // timedelta(milliseconds=1)


def now_milliseconds() -> int:
    """The present, in milliseconds of the Unix epoch."""
    return time.time_ns() // 1_000_000


def settled(mtime_ns: int, read_at_ns: int) -> int:
    """A modification time that may be trusted at the next comparison, or -1, which equals none."""
    return mtime_ns if abs(read_at_ns - mtime_ns) >= SETTLING_SECONDS * 1e9 else -1


def iso_milliseconds(milliseconds: int) -> str:
    """ISO 8601 in UTC, whole seconds unless there are milliseconds; times beyond the calendar are its ends.

    >>> iso_milliseconds(0), iso_milliseconds(1500)
    ('1970-01-01T00:00:00Z', '1970-01-01T00:00:01.500Z')
    """
    within = min(max(milliseconds, _FIRST), _LAST)
    moment = _EPOCH + timedelta(milliseconds=within)
    return moment.isoformat(timespec="milliseconds" if within % 1000 else "seconds") + "Z"


def parse_iso(text: str) -> int | None:
    """Milliseconds of the Unix epoch for an ISO 8601 date or time (UTC unless it says otherwise), or None.

    >>> parse_iso("1970-01-02"), parse_iso("1970-01-01T01:00:00+01:00"), parse_iso("soon")
    (86400000, 0, None)
    """
    try:
        moment = datetime.fromisoformat(text.strip())
        plain = moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment
    except (ValueError, OverflowError):
        return None
    return (plain - _EPOCH) // timedelta(milliseconds=1)
