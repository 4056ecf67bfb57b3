"""What addresses of stores say of themselves: that they are servers, and by which host.

How each kind is read is `mark_address`' and `https_address`'.
"""

from .https_address import https_address, is_https_address
from .mark_address import Address, is_mark_address


def is_remote(store: str) -> bool:
    """Whether a store's address is that of a server, and of no folder.

    >>> is_remote("mark://docs.example"), is_remote("https://docs.example"), is_remote("docs")
    (True, True, False)
    """
    return is_mark_address(store) or is_https_address(store)


def authority_of(store: str) -> str:
    """What `mark://` addresses of a server begin with.

    Raises: BadAddress.

    >>> authority_of("mark://Docs.Example:6309"), authority_of("https://docs.example:8443/wiki")
    ('docs.example', 'docs.example')
    """
    return https_address(store).authority if is_https_address(store) else Address.read(store).authority
