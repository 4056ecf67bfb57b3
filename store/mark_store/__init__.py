"""Where documents live: the store's contract and its clients. All input and output of marklookup's reading.

Budgets are `mark_expand`'s business, markdown is `mark_outline`'s; neither knows this package.
"""

from .data_folder import VARIABLE as DATA_VARIABLE
from .errors import (
    Archived,
    BadFilter,
    BadQuery,
    BadRoot,
    DataFolderUnusable,
    NotFound,
    NotPermitted,
    ProtocolError,
    StoreError,
    TooManyFiles,
    Unavailable,
)
from .folder import MOST_FILES, FolderStore, Holdings
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
    Page,
    Progress,
    Row,
    RowCosts,
    Store,
    Version,
)
from .reader import EVERYTHING, Reader

__all__ = [
    "DATA_VARIABLE",
    "EVERYTHING",
    "MOST_FILES",
    "SUFFIXES",
    "Archived",
    "BadFilter",
    "BadQuery",
    "BadRoot",
    "DataFolderUnusable",
    "Document",
    "Entry",
    "EntryKind",
    "FolderStore",
    "History",
    "Holdings",
    "Kind",
    "LookupPage",
    "Match",
    "NotFound",
    "NotPermitted",
    "Notice",
    "Page",
    "Progress",
    "ProtocolError",
    "Reader",
    "Row",
    "RowCosts",
    "Store",
    "StoreError",
    "TooManyFiles",
    "Unavailable",
    "Version",
]
