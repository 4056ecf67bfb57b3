"""Reading rows out of a SQLite file that SQLite refuses: each leaf page that is whole, whatever leads to it.

The format is that of https://www.sqlite.org/fileformat2.html, as far as ordinary tables need it. Whether a
row can be believed is the caller's question: pages that were given up may still hold rows of the past.
"""

import struct
from collections.abc import Iterator
from pathlib import Path

Value = int | float | str | bytes | None

_LEAF = 0x0D
_SIZE = 4096
_WHOLE = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
_FRAME, _WAL = 24, 32
# What is met where a page is not what it seems.
_NONSENSE = (IndexError, ValueError, struct.error, OverflowError)


def rows(file: Path) -> Iterator[tuple[int, tuple[Value, ...]]]:
    """Rowid and columns of every row that can be read, the write-ahead log's included."""
    pages = _Pages(file)
    for number in range(1, pages.count + 1):
        page = pages.read(number)
        start = 100 if number == 1 else 0
        try:
            if page[start] != _LEAF:
                continue
            places = struct.unpack_from(f">{struct.unpack_from('>H', page, start + 3)[0]}H", page, start + 8)
        except _NONSENSE:
            continue
        for place in places:
            try:
                yield _row(pages, page, place)
            except _NONSENSE:
                continue


class _Pages:
    """The pages of a file; those of its write-ahead log as of its last commit come first."""

    def __init__(self, file: Path) -> None:
        self._data = file.read_bytes()
        stated = int.from_bytes(self._data[16:18], "big")
        stated = 65536 if stated == 1 else stated
        self.size = stated if stated in {1 << power for power in range(9, 17)} else _SIZE
        self._newer: dict[int, bytes] = {}
        log = Path(f"{file}-wal")
        if log.exists():
            self._read_log(log.read_bytes())
        self.count = max(-(-len(self._data) // self.size), *self._newer, 0)

    def _read_log(self, data: bytes) -> None:
        salt, written = data[16:24], {}
        step = _FRAME + self.size
        for place in range(_WAL, len(data) - step + 1, step):
            number, committed = struct.unpack_from(">II", data, place)
            if data[place + 8 : place + 16] != salt:
                break
            written[number] = data[place + _FRAME : place + step]
            if committed:
                self._newer |= written
                written = {}

    def read(self, number: int) -> bytes:
        return self._newer.get(number) or self._data[(number - 1) * self.size : number * self.size]

    def payload(self, page: bytes, place: int, length: int) -> bytes:
        """The bytes of a row, the part on overflow pages included."""
        most = self.size - 35
        if length > len(self._data) + len(self._newer) * self.size:
            raise ValueError
        if length <= most:
            return page[place : place + length]
        least = (self.size - 12) * 32 // 255 - 23
        here = least + (length - least) % (self.size - 4)
        here = here if here <= most else least
        found = bytearray(page[place : place + here])
        following = int.from_bytes(page[place + here : place + here + 4], "big")
        while len(found) < length:
            part = self.read(following)
            if not following or len(part) < self.size:
                raise ValueError
            found += part[4:]
            following = int.from_bytes(part[:4], "big")
        return bytes(found[:length])


def _row(pages: _Pages, page: bytes, place: int) -> tuple[int, tuple[Value, ...]]:
    length, place = _number(page, place)
    rowid, place = _number(page, place)
    record = pages.payload(page, place, length)
    if len(record) < length:
        raise ValueError
    end, at = _number(record, 0)
    kinds = []
    while at < end:
        kind, at = _number(record, at)
        kinds.append(kind)
    values: list[Value] = []
    at = end
    for kind in kinds:
        value, at = _value(record, at, kind)
        values.append(value)
    return rowid, tuple(values)


def _value(record: bytes, at: int, kind: int) -> tuple[Value, int]:
    if kind in _WHOLE:
        end = at + _WHOLE[kind]
        return int.from_bytes(record[at:end], "big", signed=True), end
    match kind:
        case 0:
            return None, at
        case 7:
            return struct.unpack_from(">d", record, at)[0], at + 8
        case 8 | 9:
            return kind - 8, at
        case 10 | 11:
            raise ValueError
    end = at + (kind - 12) // 2
    if end > len(record):
        raise ValueError
    return (record[at:end].decode() if kind % 2 else record[at:end]), end


def _number(data: bytes, place: int) -> tuple[int, int]:
    """A number of one to nine bytes, and where it ends."""
    value = 0
    for step in range(8):
        byte = data[place + step]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, place + step + 1
    return value << 8 | data[place + 8], place + 9
