"""Why there is no connection to a broker, in a sentence for the person who has to fix it."""

import socket
import ssl
from collections.abc import Mapping
from typing import Final


class BrokerLostError(Exception):
    """There is no connection; the text says why."""


class RefusedError(BrokerLostError):
    """The broker is there and refuses: a retry helps only after a person has fixed something."""


CLOSED: Final = (
    "the broker closed the connection before it answered; does it speak TLS there, and does mqtt.url say so?"
)
NETWORK_SAYS: Final[Mapping[type[OSError], str]] = {
    ConnectionResetError: CLOSED,
    ConnectionRefusedError: "nothing listens there; is the broker running?",
    TimeoutError: "it does not answer",
    socket.gaierror: "the broker's name is not known here",
}
TLS_SAYS: Final[Mapping[str, str]] = {  # what OpenSSL calls an alert -> what it means for a table
    "CERTIFICATE_REQUIRED": "it wants a certificate; name mqtt.cert and mqtt.key",
    "HANDSHAKE_FAILURE": "it wants a certificate, or another kind of TLS; name mqtt.cert and mqtt.key",
    "UNKNOWN_CA": "it does not know who signed this table's certificate",
    "CERTIFICATE_EXPIRED": "this table's certificate has expired",
    "CERTIFICATE_REVOKED": "this table's certificate was revoked",
    "BAD_CERTIFICATE": "this table's certificate is not accepted",
    "CERTIFICATE_UNKNOWN": "this table's certificate is not accepted",
    "UNSUPPORTED_CERTIFICATE": "this table's certificate is of a kind that it does not accept",
    "DECRYPT_ERROR": "this table's certificate is not accepted",
    "ACCESS_DENIED": "this table's certificate is not accepted",
    "PROTOCOL_VERSION": "it speaks no TLS of 1.2 or later",
    "WRONG_VERSION_NUMBER": "there is no TLS at this port; is it the right one, or does the address begin with mqtt://?",
}
CONNACK_SAYS: Final[Mapping[int, str]] = {
    0x84: "it does not speak this version of MQTT",
    0x85: "it does not accept this table's client id",
    0x86: "user name or password are wrong",
    0x87: "user name, password or certificate are not accepted (not authorized)",
    0x8A: "this table is banned there",
    0x8C: "it wants another way of proving who we are",
    0x95: "what we say of ourselves is too large for it",
    0x97: "this table's quota is used up",
    0x9A: "it keeps no retained messages, and status and state need them",
    0x9B: "it does not take messages of QoS 1",
    0x9C: "it says to use another server",
    0x9D: "it says that it moved to another server",
}
BUSY: Final[Mapping[int, str]] = {  # this passes by itself
    0x88: "the broker says that it is unavailable",
    0x89: "the broker says that it is busy",
    0x9F: "the broker says that we connect too often",
}
DISCONNECT_SAYS: Final[Mapping[int, str]] = {
    0x87: "we are not authorized any more",
    0x8E: "another client came in with this table's client id: do two devices watch one table?",
    0x93: "more messages were on their way than it takes at a time",
    0x94: "it does not know the topic",
    0x95: "a message is larger than it takes",
    0x96: "messages came faster than it takes them",
    0x97: "this table's quota is used up",
    0x98: "an administrator ended the connection",
    0x9A: "it keeps no retained messages, and status and state need them",
    0x9B: "it does not take messages of QoS 1",
}


def of_socket(error: OSError) -> BrokerLostError:
    """Say what went wrong on the way to a broker, or in TLS."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return RefusedError(
            f"the broker's certificate is not accepted: {error.verify_message.rstrip('.').lower()}; "
            "look at mqtt.ca, the name in mqtt.url, and the clock"
        )
    if isinstance(error, ssl.SSLError):
        return _of_tls(error)
    says = [says for kind, says in NETWORK_SAYS.items() if isinstance(error, kind)]
    return BrokerLostError(says[0] if says else f"no connection: {(error.strerror or str(error)).lower()}")


def _of_tls(error: ssl.SSLError) -> BrokerLostError:
    reason = error.reason or ""
    for name, meaning in TLS_SAYS.items():
        if reason.endswith(name):
            return RefusedError(f"the broker does not let this table in: {meaning}")
    if isinstance(error, ssl.SSLEOFError | ssl.SSLZeroReturnError) or not reason:
        return BrokerLostError(CLOSED)
    return RefusedError(f"no TLS with the broker: {reason.lower().replace('_', ' ')}")


def of_connack(code: int, name: str) -> BrokerLostError:
    if code in BUSY:
        return BrokerLostError(BUSY[code])
    return RefusedError(f"the broker does not let this table in: {CONNACK_SAYS.get(code, name.lower())}")


def of_disconnect(code: int, name: str) -> BrokerLostError:
    if code in DISCONNECT_SAYS:
        return RefusedError(f"the broker ended the connection: {DISCONNECT_SAYS[code]}")
    return BrokerLostError(f"the broker ended the connection: {name.lower()}")


def of_puback(code: int, name: str, topic: str) -> RefusedError:
    why = "this table may not write there (not authorized); look at the broker's ACL" if code == 0x87 else name.lower()
    return RefusedError(f"the broker does not take messages on {topic}: {why}")
