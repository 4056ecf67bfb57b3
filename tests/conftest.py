"""What every test may ask for: the paths of the repository, and one event loop for async tests."""

from pathlib import Path

import pytest
from hypothesis import settings

REPO = Path(__file__).resolve().parent.parent

# Deadlines per example fail on a busy machine, not on a slow program. In CI the profile inherits
# hypothesis' own `ci` settings, which repeat the same examples on every run.
settings.register_profile("house", settings(), deadline=None)
settings.register_profile("deep", settings(), deadline=None, max_examples=2000)
settings.load_profile("house")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """asyncio alone: the MCP SDK's HTTP side runs on nothing else."""
    return "asyncio"


@pytest.fixture(scope="session")
def repo() -> Path:
    """The checkout."""
    return REPO


@pytest.fixture(scope="session")
def fixtures() -> Path:
    """The documents and cases that come with the project."""
    return REPO / "fixtures"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder beside the checkout with reference cases; it does not come with the project."""
    folder = REPO.parent / "shared"
    if not folder.is_dir():
        pytest.skip("needs ../shared")
    return folder
