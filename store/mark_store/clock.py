"""Points in time, as this package reads, compares and prints them: UTC throughout."""

import time
from datetime import UTC, datetime

# A file may change twice within one tick of its file system's clock (4 to 10 ms on Linux); a time stamp that was
# this fresh when it was read proves nothing the next time.
RACY_NANOSECONDS = 50_000_000


def now_milliseconds() -> int:
    """The present, in milliseconds of the Unix epoch."""
    return time.time_ns() // 1_000_000


def settled(mtime_ns: int, read_at_ns: int) -> int:
    """A modification time that may be trusted at the next comparison, or -1, which equals none."""
    return mtime_ns if read_at_ns - mtime_ns > RACY_NANOSECONDS else -1


def iso_milliseconds(milliseconds: int) -> str:
    """ISO 8601 in UTC, whole seconds unless there are milliseconds.

    >>> iso_milliseconds(0), iso_milliseconds(1500)
    ('1970-01-01T00:00:00Z', '1970-01-01T00:00:01.500Z')
    """
    moment = datetime.fromtimestamp(milliseconds // 1000, UTC)
    fraction = f".{milliseconds % 1000:03}" if milliseconds % 1000 else ""
    return f"{moment:%Y-%m-%dT%H:%M:%S}{fraction}Z"


def parse_iso(text: str) -> int | None:
    """Milliseconds of the Unix epoch for an ISO 8601 date or time (UTC unless it says otherwise), or None.

    >>> parse_iso("1970-01-02"), parse_iso("1970-01-01T01:00:00+01:00"), parse_iso("soon")
    (86400000, 0, None)
    """
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    try:
        return int(aware.timestamp() * 1000)
    except (OverflowError, ValueError, OSError):
        return None
