"""Which answers of a server are kept, and under which name: by server, token, path and version.

How they lie on the disk is `version_cache`'s. What one token was given is not shown to another.
"""

import hashlib
from dataclasses import dataclass

from .errors import ProtocolError
from .version_cache import Key, VersionCache
from .wire_response import Response, ResponseDecoder, encode_response


@dataclass(frozen=True, slots=True)
class KeptAnswers:
    """The kept FETCH answers of one server as one caller; calls block on the disk."""

    cache: VersionCache
    authority: str
    caller: str

    @classmethod
    def of(cls, cache: VersionCache, authority: str, token: str) -> "KeptAnswers":
        """Begin for a server; of the token only its hash is used."""
        return cls(cache, authority, hashlib.sha256(token.encode()).hexdigest() if token else "")

    def get(self, path: str, version: int | None) -> Response | None:
        """Give the answer about a version, or (None) the last one about the head; None when there is none."""
        data = self.cache.get(self._key(path, version))
        if data is None:
            return None
        decoder = ResponseDecoder(self.authority)
        try:
            decoder.feed(data)
            return decoder.end()
        except ProtocolError:
            return None

    def put(self, path: str, version: int | None, response: Response) -> None:
        """Keep an answer about a version, or (None) about the head; what we could not write is not."""
        try:
            data = encode_response(response)
        except ProtocolError:
            return
        self.cache.put(self._key(path, version), data)

    def _key(self, path: str, version: int | None) -> Key:
        return self.authority, self.caller, path, "head" if version is None else f"v{version}"
