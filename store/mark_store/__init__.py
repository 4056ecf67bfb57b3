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
    Pruned,
    StoreError,
    TooManyFiles,
    Unavailable,
)
from .folder import MOST_FILES, FolderStore
from .holdings import Holdings
from .lineage import lineage
from .notice import Notice
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
    Store,
    Version,
)
from .reader import EVERYTHING, Reader
from .verification import Finding, Verification

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
    "Finding",
    "FolderStore",
    "History",
    "Holdings",
    "Kind",
    "Link",
    "LookupPage",
    "Match",
    "Moved",
    "NotFound",
    "NotPermitted",
    "Notice",
    "Page",
    "Progress",
    "ProtocolError",
    "Pruned",
    "Reader",
    "Relating",
    "Row",
    "RowCosts",
    "Store",
    "StoreError",
    "TooManyFiles",
    "Unavailable",
    "Verification",
    "Version",
    "lineage",
]
