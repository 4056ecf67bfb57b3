"""Where documents live: the store's contract and its clients. All input and output of marklookup's reading.

Budgets are `mark_expand`'s business, markdown is `mark_outline`'s; neither knows this package.
"""

from .data_folder import VARIABLE as DATA_VARIABLE
from .errors import (
    AllFailed,
    Archived,
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
    Unavailable,
)
from .folder import MOST_FILES, FolderStore, Holdings
from .late import LateStore
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
from .several import SeveralStores
from .verification import Finding, Verification

__all__ = [
    "DATA_VARIABLE",
    "EVERYTHING",
    "MOST_FILES",
    "SUFFIXES",
    "AllFailed",
    "Archived",
    "BadFilter",
    "BadQuery",
    "BadRoot",
    "DataFolderUnusable",
    "Document",
    "Entry",
    "EntryKind",
    "Failed",
    "Finding",
    "FolderStore",
    "History",
    "Holdings",
    "Kind",
    "LateStore",
    "LookupPage",
    "Match",
    "Mounted",
    "Moved",
    "NotFound",
    "NotPermitted",
    "Notice",
    "Opened",
    "Page",
    "Progress",
    "ProtocolError",
    "Pruned",
    "Reader",
    "Row",
    "RowCosts",
    "SeveralStores",
    "Store",
    "StoreError",
    "TooManyFiles",
    "Unavailable",
    "Verification",
    "Version",
    "is_mount_name",
    "split_address",
]
