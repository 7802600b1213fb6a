"""Checks of the broker: the network to it, the certificates, and what this table may do there."""

import socket
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from secrets import token_hex
from typing import Final

from cryptography import x509

from feltwatch.edge.config.secret_files import with_credentials
from feltwatch.edge.config.table_file import MqttSettings, TableFile
from feltwatch.edge.doctor.checks import CheckResult, bad, graded, ok, readable
from feltwatch.edge.messaging.auth import context
from feltwatch.edge.messaging.errors import BrokerLostError
from feltwatch.edge.messaging.mqtt import Link, LinkTerms, Outgoing, Waker

PATIENCE_S: Final = 5.0
SOON: Final = timedelta(days=30)
STEP_S: Final = 0.1

Now = Callable[[], datetime]


def today() -> datetime:
    return datetime.now(UTC)


def broker(table: TableFile, environ: Mapping[str, str], now: Now = today) -> Iterator[CheckResult]:
    if table.mqtt is None:
        yield ok("no [mqtt] in the file: feltwatch runs a broker of its own, for this device alone")
        return
    mqtt = with_credentials(table.mqtt, environ)
    yield from readable((mqtt.password_file, mqtt.key))
    if mqtt.cert is not None:
        yield from _file(mqtt.cert, "this table's certificate", now())
    if mqtt.ca is not None:
        yield from _file(mqtt.ca, "the authority's certificate", now())
    if (fault := unreachable(mqtt)) is not None:
        yield bad(f"{mqtt.url}: {fault}")
        return
    if mqtt.tls:
        yield from theirs(mqtt, now())
    yield from speaks(table, mqtt, environ)


def unreachable(mqtt: MqttSettings) -> str | None:
    try:
        socket.create_connection((mqtt.host, mqtt.port), PATIENCE_S).close()
    except (socket.gaierror, UnicodeError):
        return "the name cannot be resolved; check mqtt.url and the DNS server"
    except ConnectionRefusedError:
        return "the host refuses connections on this port; check that the broker is running"
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        return f"no answer ({why}); check the network and its firewalls"
    return None


def theirs(mqtt: MqttSettings, now: datetime) -> Iterator[CheckResult]:
    """Check the dates of the broker's certificate, also of one that is not trusted."""
    try:
        trusting = context(mqtt)
        trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
        with (
            socket.create_connection((mqtt.host, mqtt.port), PATIENCE_S) as connection,
            trusting.wrap_socket(connection, server_hostname=mqtt.host) as secure,
        ):
            shown = secure.getpeercert(binary_form=True)
    except (OSError, ValueError, BrokerLostError):
        return  # connecting as the table does names the reason
    if shown is not None:
        yield dated(x509.load_der_x509_certificate(shown), "the broker's certificate", now)


def dated(certificate: x509.Certificate, whose: str, now: datetime) -> CheckResult:
    """Check the dates of a certificate."""
    says = f"{whose} ({certificate.subject.rfc4514_string() or 'no name'})"
    if certificate.not_valid_before_utc > now:
        return bad(f"{says} is valid from {certificate.not_valid_before_utc:%Y-%m-%d} on: check the clock")
    left = certificate.not_valid_after_utc - now
    until = f"{certificate.not_valid_after_utc:%Y-%m-%d}"
    if left < timedelta():
        return bad(f"{says} has expired on {until}; renew it")
    doubt = "renew it in time" if left < SOON else None
    return graded(f"{says} is valid to {until}, {left.days} days more", doubt=doubt)


def _file(path: Path, whose: str, now: datetime) -> Iterator[CheckResult]:
    try:
        found = x509.load_pem_x509_certificates(path.read_bytes())
    except (OSError, ValueError) as error:
        why = (getattr(error, "strerror", None) or "").lower()
        yield bad(f"{path}: expected {whose}: {why or 'no certificate in PEM'}")
        return
    yield dated(min(found, key=lambda one: one.not_valid_after_utc), whose, now)


def speaks(table: TableFile, mqtt: MqttSettings, environ: Mapping[str, str]) -> Iterator[CheckResult]:
    """Connect as the table does, and check what it may do; subscribers of the table's topics receive nothing."""
    home = f"feltwatch/{table.site}/{table.id}"
    word = Outgoing(f"{home}/doctor", b"{}")
    name = f"feltwatch-doctor-{table.id}-{token_hex(4)}"
    with closing(Waker()) as wake:
        link = Link(mqtt, LinkTerms(name, word, f"{home}/cmd/#"), environ)
        witness = Link(mqtt, LinkTerms(f"{name}-w", word, word.topic), environ)
        try:
            link.open(wake)
            yield ok(f"{mqtt.url}: the broker accepts this table")
            witness.open(wake)
            _sent(link, word, wake)
            yield ok(f"this table can publish on {home}/…")
            yield graded(f"this table receives commands on {home}/cmd/#", fault=link.deaf)
            _sent(witness, word, wake)  # so that its subscription is done
            yield _last_will(link, witness, word, wake)
        except BrokerLostError as error:
            yield bad(str(error))
        finally:
            for one in (link, witness):
                one.close()


def _last_will(link: Link, witness: Link, word: Outgoing, wake: Waker) -> CheckResult:
    """End a connection as a power cut does, and check that the broker publishes the last will."""
    _sent(link, word, wake)
    _sent(witness, word, wake)  # what came to it before this is acknowledged came by now
    if not witness.received:
        return ok("the broker takes the last will; its ACL does not let this table receive it")
    witness.received.clear()
    link.close()
    if _until(lambda: bool(witness.received), witness, wake):
        return ok("the broker publishes the last will when the connection is lost")
    return bad("the broker does not publish the last will when the connection is lost; check its ACL and its log")


def _sent(link: Link, word: Outgoing, wake: Waker) -> None:
    number = link.publish(word)
    if not _until(lambda: number in link.acknowledged, link, wake):
        raise BrokerLostError(f"{link.broker.url}: the broker does not acknowledge messages")


def _until(what: Callable[[], bool], link: Link, wake: Waker) -> bool:
    end = time.monotonic() + PATIENCE_S
    while not what():
        if time.monotonic() > end:
            return False
        link.step(STEP_S, wake)
    return True
