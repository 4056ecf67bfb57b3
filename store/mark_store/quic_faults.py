"""Why a QUIC connection failed, as one of our errors: judged by codes, since texts are often empty.

Codes are those of RFC 9000 (section 20) and, from 0x100 on, TLS alerts (RFC 8446, section 6).
"""

import socket
from typing import Final

from aioquic.quic.events import ConnectionTerminated
from aioquic.quic.packet import QuicErrorCode
from aioquic.tls import AlertDescription

from .errors import StoreError, Unavailable, Untrusted

_EXPIRED: Final = AlertDescription.certificate_expired
_CERTIFICATE: Final = frozenset(
    (
        AlertDescription.bad_certificate,
        AlertDescription.unsupported_certificate,
        AlertDescription.certificate_revoked,
        AlertDescription.certificate_unknown,
        AlertDescription.unknown_ca,
        _EXPIRED,
    )
)
_REFUSED: Final = frozenset((QuicErrorCode.CONNECTION_REFUSED, QuicErrorCode.INVALID_TOKEN))
_LONGEST: Final = 120


class Lost(Exception):  # noqa: N818 - what became of a connection, handled before anyone sees it
    """A connection that stood is gone; `reason` is one line."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def not_connected(event: ConnectionTerminated, place: str, host: str) -> StoreError:
    """Give the error for a connection that ended before it stood."""
    alert = event.error_code - QuicErrorCode.CRYPTO_ERROR
    if alert == AlertDescription.no_application_protocol:
        return Untrusted(place, "another service answers there, none that speaks Mark; check host and port")
    if alert in _CERTIFICATE:
        fault = "has expired or is not valid yet" if alert == _EXPIRED else "cannot be verified"
        told = f" ({_line(event.reason_phrase)})" if event.reason_phrase else ""
        return Untrusted(
            place,
            f"its certificate {fault}{told}; give the file of its authority with --ca, or trust it "
            f"unseen with --insecure {host}",
        )
    if 0 <= alert < 0x100:
        return Untrusted(
            place, f"no secure connection comes about (TLS alert {alert}); it must speak TLS 1.3"
        )
    return Unavailable(place, ended(event))


def ended(event: ConnectionTerminated) -> str:
    """Say why a connection ended, in one line."""
    if event.error_code in _REFUSED:
        return "takes no more connections"
    told = f" ({_line(event.reason_phrase)})" if event.reason_phrase else ""
    return f"the connection ended with code {event.error_code:#x}{told}"


def not_found(error: OSError, place: str) -> Unavailable:
    """Give the error for a name that has no address, or none that can be asked for now."""
    temporary = isinstance(error, socket.gaierror) and error.errno == socket.EAI_AGAIN
    return Unavailable(
        place,
        "its name cannot be looked up now; check the network"
        if temporary
        else "no host has this name; check its spelling",
    )


def unreachable(error: OSError, place: str) -> Unavailable:
    """Give the error for a host or port that the system says cannot be reached."""
    if isinstance(error, ConnectionRefusedError):
        return Unavailable(place, "nothing listens there; check the port and that the server runs")
    return Unavailable(place, f"cannot be reached: {error.strerror or 'no way there'}; check the network")


def silent(place: str, seconds: float) -> Unavailable:
    """Give the error for a server from which nothing came."""
    return Unavailable(
        place, f"nothing answers within {seconds:g} s; check host and port, and that UDP is let through"
    )


def _line(text: str) -> str:
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    return line[:_LONGEST]
