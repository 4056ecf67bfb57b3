"""Where a root's databases are kept: under the user's data folder, never in the folder that is served."""

import hashlib
import os
from pathlib import Path

from .errors import BadRoot, DataFolderUnusable

VARIABLE = "MARKLOOKUP_DATA"


def real_root(root: Path) -> Path:
    """The real path of a folder that can be served.

    Raises: BadRoot.
    """
    try:
        real = root.expanduser().resolve(strict=True)
        with os.scandir(real):
            return real
    except OSError as error:
        raise BadRoot(root, error.strerror or "cannot be read") from error
    except (RuntimeError, ValueError) as error:
        raise BadRoot(root, "is no path of this system") from error


def data_folder(root: Path, chosen: Path | None = None) -> Path:
    """Create the folder for the databases of one real root.

    It lies inside `chosen`, else MARKLOOKUP_DATA, else the user's data folder. The last may lie in the root:
    who serves a home folder did not choose it, and `selection` leaves it out.

    Raises: DataFolderUnusable.
    """
    stated = chosen or _from_environment()
    if stated and _real(stated).is_relative_to(root):
        raise DataFolderUnusable(stated, "lies inside the folder that is served")
    folder = data_place(chosen) / hashlib.sha256(os.fsencode(root)).hexdigest()[:16]
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise DataFolderUnusable(folder, error.strerror or "cannot be created") from error
    return folder


def data_place(chosen: Path | None = None) -> Path:
    """Where everything of this user is kept: `chosen`, else MARKLOOKUP_DATA, else the user's data folder."""
    return chosen or _from_environment() or _of_user()


def _real(place: Path) -> Path:
    try:
        return place.expanduser().resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise DataFolderUnusable(place, "is no path of this system") from error


def _from_environment() -> Path | None:
    stated = os.environ.get(VARIABLE, "")
    return Path(stated).expanduser() if stated else None


def _of_user() -> Path:
    # Imported here: it costs some milliseconds of every start and is needed for the default only.
    from platformdirs import user_data_path  # noqa: PLC0415 - see above

    return user_data_path("marklookup", appauthor=False)
