"""Where documents live: the store's contract and its clients. All input and output of marklookup's reading.

Budgets are `mark_expand`'s business, markdown is `mark_outline`'s; neither knows this package.
"""

from .clock import parse_iso
from .data_folder import VARIABLE as DATA_VARIABLE
from .data_folder import data_place
from .errors import (
    AllFailed,
    Archived,
    BadAddress,
    BadFilter,
    BadQuery,
    BadRoot,
    DataFolderUnusable,
    Failed,
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
from .folder import MOST_FILES, FolderStore
from .holdings import Holdings
from .https_address import HttpsAddress, https_address, is_https_address
from .https_exchange import MEDIA_TYPE, HttpsExchange
from .kept_answers import KeptAnswers
from .late import LateStore
from .lineage import lineage
from .mark import MarkStore
from .mark_address import is_mark_address, token_for
from .mark_answers import publishing
from .mark_opening import Peer, open_mark
from .mounted import Mounted, is_mount_name, split_address
from .notice import Notice
from .opened import Opened
from .paths import SUFFIXES
from .port import (
    Document,
    Entry,
    EntryKind,
    History,
    Kind,
    Link,
    LookupPage,
    Match,
    Moved,
    Page,
    Progress,
    Relating,
    Row,
    RowCosts,
    Standing,
    Store,
    Version,
)
from .reader import EVERYTHING, Reader
from .servers import authority_of, is_remote
from .several import SeveralStores
from .verification import Finding, Verification
from .version_cache import VersionCache
from .wire_listing import write_entries, write_versions
from .wire_request import Request, RequestDecoder, encode_request
from .wire_response import Response, ResponseDecoder, encode_response

__all__ = [
    "DATA_VARIABLE",
    "EVERYTHING",
    "MEDIA_TYPE",
    "MOST_FILES",
    "SUFFIXES",
    "AllFailed",
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
    "Failed",
    "Finding",
    "FolderStore",
    "History",
    "Holdings",
    "HttpsAddress",
    "HttpsExchange",
    "KeptAnswers",
    "Kind",
    "LateStore",
    "Link",
    "LookupPage",
    "MarkStore",
    "Match",
    "Mounted",
    "Moved",
    "NotFound",
    "NotPermitted",
    "Notice",
    "Opened",
    "Page",
    "Peer",
    "Progress",
    "ProtocolError",
    "Pruned",
    "Reader",
    "Relating",
    "Request",
    "RequestDecoder",
    "Response",
    "ResponseDecoder",
    "Row",
    "RowCosts",
    "SeveralStores",
    "Standing",
    "Store",
    "StoreError",
    "TooManyFiles",
    "Unauthorized",
    "Unavailable",
    "Untrusted",
    "Verification",
    "Version",
    "VersionCache",
    "authority_of",
    "data_place",
    "encode_request",
    "encode_response",
    "https_address",
    "is_https_address",
    "is_mark_address",
    "is_mount_name",
    "is_remote",
    "lineage",
    "open_mark",
    "parse_iso",
    "publishing",
    "split_address",
    "token_for",
    "write_entries",
    "write_versions",
]
