"""Where documents live: the store's contract and its clients. All input and output of marklookup's reading.

Budgets are `mark_expand`'s business, markdown is `mark_outline`'s; neither knows this package.
"""

from .data_folder import VARIABLE as DATA_VARIABLE
from .errors import (
    Archived,
    BadAddress,
    BadFilter,
    BadQuery,
    BadRoot,
    DataFolderUnusable,
    NotFound,
    NotPermitted,
    ProtocolError,
    Pruned,
    StoreError,
    TooManyFiles,
    Unauthorized,
    Unavailable,
    Untrusted,
)
from .exchange import Exchange
from .folder import MOST_FILES, FolderStore, Holdings
from .kept_answers import KeptAnswers
from .mark import MarkStore
from .mark_address import is_mark_address
from .mark_answers import publishing
from .mark_opening import Peer, open_mark
from .notice import Notice
from .paths import SUFFIXES
from .port import (
    Document,
    Entry,
    EntryKind,
    History,
    Kind,
    LookupPage,
    Match,
    Moved,
    Page,
    Progress,
    Row,
    RowCosts,
    Store,
    Version,
)
from .reader import EVERYTHING, Reader
from .verification import Finding, Verification
from .version_cache import VersionCache
from .wire_listing import write_entries, write_versions
from .wire_request import Request, RequestDecoder, encode_request
from .wire_response import Response, ResponseDecoder, encode_response

__all__ = [
    "DATA_VARIABLE",
    "EVERYTHING",
    "MOST_FILES",
    "SUFFIXES",
    "Archived",
    "BadAddress",
    "BadFilter",
    "BadQuery",
    "BadRoot",
    "DataFolderUnusable",
    "Document",
    "Entry",
    "EntryKind",
    "Exchange",
    "Finding",
    "FolderStore",
    "History",
    "Holdings",
    "KeptAnswers",
    "Kind",
    "LookupPage",
    "MarkStore",
    "Match",
    "Moved",
    "NotFound",
    "NotPermitted",
    "Notice",
    "Page",
    "Peer",
    "Progress",
    "ProtocolError",
    "Pruned",
    "Reader",
    "Request",
    "RequestDecoder",
    "Response",
    "ResponseDecoder",
    "Row",
    "RowCosts",
    "Store",
    "StoreError",
    "TooManyFiles",
    "Unauthorized",
    "Unavailable",
    "Untrusted",
    "Verification",
    "Version",
    "VersionCache",
    "encode_request",
    "encode_response",
    "is_mark_address",
    "open_mark",
    "publishing",
    "write_entries",
    "write_versions",
]
