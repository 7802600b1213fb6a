"""How a table proves to a broker who it is, and the broker to the table: TLS, certificates, user and password."""

import os
import select
import ssl
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from feltwatch.edge.config.secret_files import read_password
from feltwatch.edge.config.table_file import MqttSettings
from feltwatch.edge.errors import UsageError
from feltwatch.edge.messaging.errors import RefusedError

USER: Final = "FELTWATCH_MQTT_USER"
PASSWORD: Final = "FELTWATCH_MQTT_PASSWORD"  # noqa: S105  the name of a variable
TICKET_S: Final = 0.5  # the broker's last word in TLS 1.3 is waited for so long


@dataclass(frozen=True, slots=True)
class Login:
    user: str | None
    password: str | None = field(repr=False)


def login(broker: MqttSettings, environ: Mapping[str, str] = os.environ) -> Login:
    """Give user and password, read again each time; the environment supplies what the table's file lacks."""
    user, password = broker.user or environ.get(USER), environ.get(PASSWORD)
    path = broker.password_file
    if path is not None:
        try:
            password = read_password(path)
        except UsageError as error:
            raise RefusedError(str(error)) from None
    if password and not user:
        raise RefusedError(f"expected a user where there is a password: name mqtt.user, or set {USER}")
    return Login(user or None, password or None)


def password(broker: MqttSettings) -> str:
    """Give the password as it is now, if there is one that can be read: for those who must not show it."""
    with suppress(RefusedError):
        return login(broker).password or ""
    return ""


def context(broker: MqttSettings) -> ssl.SSLContext:
    """Give what TLS needs: the broker must prove its name; we prove ours where there is a certificate."""
    found = _Context(ssl.PROTOCOL_TLS_CLIENT)  # which looks at certificate and name
    found.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        if broker.ca is None:
            found.load_default_certs()
        else:
            found.load_verify_locations(broker.ca)
    except OSError as error:
        raise RefusedError(f"{broker.ca}: expected certificates in PEM: {_why(error)}") from error
    if broker.cert is not None and broker.key is not None:
        try:
            found.load_cert_chain(broker.cert, broker.key, password=lambda: b"")  # no person is there to ask
        except OSError as error:
            raise RefusedError(
                f"expected {broker.cert} to be a certificate in PEM, and {broker.key} its key, without a password: "
                f"{_why(error)}"
            ) from error
    return found


def _why(error: OSError) -> str:
    reason = getattr(error, "reason", None)
    return (str(reason).replace("_", " ") if reason else error.strerror or str(error)).lower()


class _Socket(ssl.SSLSocket):
    """Keeps TLS's own reason; paho reports only that the connection is gone."""

    fault: ssl.SSLError | None = None

    def do_handshake(self, block: bool = False) -> None:  # noqa: FBT001, FBT002  as ssl has it
        super().do_handshake(block)
        if self.version() == "TLSv1.3" and select.select([self], [], [], TICKET_S)[0]:
            self._last_word()

    def _last_word(self) -> None:
        """Hear whether the broker takes our certificate, before we speak.

        In TLS 1.3 it comes after we believe to be connected. What we send then meets a closed socket, and the network's
        answer to that takes the reason away before it is read.
        """
        patience = self.gettimeout()
        self.settimeout(0.0)
        try:
            if not self.recv(1):
                raise ConnectionResetError("the broker closed the connection")
        except ssl.SSLWantReadError:
            pass  # a ticket, of no interest: we are in
        self.settimeout(patience)

    def recv(self, buflen: int = 1024, flags: int = 0) -> bytes:
        try:
            return super().recv(buflen, flags)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            raise
        except ssl.SSLError as error:
            self.fault = error
            raise


class _Context(ssl.SSLContext):
    """Keeps its last socket, which paho forgets without closing it when a handshake fails."""

    sslsocket_class = _Socket
    last: ssl.SSLSocket | None = None

    def wrap_socket(self, *args: Any, **options: Any) -> ssl.SSLSocket:  # noqa: ANN401  as ssl has it
        self.last = super().wrap_socket(*args, **options)
        return self.last


def let_go(secure: ssl.SSLContext) -> ssl.SSLError | None:
    """Close the last connection that was made; give what TLS had to say against it."""
    last = secure.last if isinstance(secure, _Context) else None
    if not isinstance(last, _Socket):
        return None
    last.close()
    return last.fault
