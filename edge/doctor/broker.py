"""What `feltwatch doctor` looks at in the broker: the way there, the certificates, and what this table may do."""

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
from feltwatch.edge.doctor.checks import Finding, bad, judged, ok, readable
from feltwatch.edge.messaging.auth import context
from feltwatch.edge.messaging.errors import BrokerLostError
from feltwatch.edge.messaging.mqtt import Link, Outgoing, Terms, Waker

PATIENCE_S: Final = 5.0
SOON: Final = timedelta(days=30)
STEP_S: Final = 0.1

Now = Callable[[], datetime]


def today() -> datetime:
    return datetime.now(UTC)


def broker(table: TableFile, environ: Mapping[str, str], now: Now = today) -> Iterator[Finding]:
    if table.mqtt is None:
        yield ok("none is named: feltwatch runs one of its own, for this box alone; name one with [mqtt]")
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
        return "a name that is not known here; look at mqtt.url, and at the name server"
    except ConnectionRefusedError:
        return "the box is there, and nobody listens at this port; is the broker running?"
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        return f"nobody answers there ({why}); look at the network and at its firewalls"
    return None


def theirs(mqtt: MqttSettings, now: datetime) -> Iterator[Finding]:
    """Tell what certificate the broker shows, whoever signed it: whether it is accepted, only a connection tells."""
    try:
        trusting = context(mqtt)
        trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
        with (
            socket.create_connection((mqtt.host, mqtt.port), PATIENCE_S) as way,
            trusting.wrap_socket(way, server_hostname=mqtt.host) as secure,
        ):
            shown = secure.getpeercert(binary_form=True)
    except (OSError, ValueError, BrokerLostError):
        return  # the connection says why
    if shown is not None:
        yield dated(x509.load_der_x509_certificate(shown), "the broker's certificate", now)


def dated(certificate: x509.Certificate, whose: str, now: datetime) -> Finding:
    """Judge a certificate by its dates."""
    says = f"{whose} ({certificate.subject.rfc4514_string() or 'of nobody'})"
    if certificate.not_valid_before_utc > now:
        return bad(f"{says} is valid from {certificate.not_valid_before_utc:%Y-%m-%d} on: is the clock right?")
    left = certificate.not_valid_after_utc - now
    until = f"{certificate.not_valid_after_utc:%Y-%m-%d}"
    if left < timedelta():
        return bad(f"{says} has expired on {until}; renew it")
    doubt = "renew it in time" if left < SOON else None
    return judged(f"{says} is valid to {until}, {left.days} days more", doubt=doubt)


def _file(path: Path, whose: str, now: datetime) -> Iterator[Finding]:
    try:
        found = x509.load_pem_x509_certificates(path.read_bytes())
    except (OSError, ValueError) as error:
        why = (getattr(error, "strerror", None) or "").lower()
        yield bad(f"{path}: expected {whose}: {why or 'no certificate in PEM'}")
        return
    yield dated(min(found, key=lambda one: one.not_valid_after_utc), whose, now)


def speaks(table: TableFile, mqtt: MqttSettings, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Come in as the table does, and see what it may do; nobody who listens to the table hears of it."""
    home = f"feltwatch/{table.site}/{table.id}"
    word = Outgoing(f"{home}/doctor", b"{}")
    name = f"feltwatch-doctor-{table.id}-{token_hex(4)}"
    with closing(Waker()) as wake:
        link = Link(mqtt, Terms(name, word, f"{home}/cmd/#"), environ)
        witness = Link(mqtt, Terms(f"{name}-w", word, word.topic), environ)
        try:
            link.open(wake)
            yield ok(f"{mqtt.url}: it lets this table in")
            witness.open(wake)
            _sent(link, word, wake)
            yield ok(f"it takes what this table says on {home}/…")
            yield judged(f"commands come in on {home}/cmd/#", fault=link.deaf)
            _sent(witness, word, wake)  # so that its subscription is done
            yield _last_will(link, witness, word, wake)
        except BrokerLostError as error:
            yield bad(str(error))
        finally:
            for one in (link, witness):
                one.close()


def _last_will(link: Link, witness: Link, word: Outgoing, wake: Waker) -> Finding:
    """End a connection as a power cut does, and see whether the broker says so."""
    _sent(link, word, wake)
    _sent(witness, word, wake)  # what came to it before this is acknowledged came by now
    if not witness.received:
        return ok("its last will is taken; by the broker's ACL the table itself does not hear it")
    witness.received.clear()
    link.close()
    if _until(lambda: bool(witness.received), witness, wake):
        return ok("its last will is given out when the connection is lost")
    return bad("its last will is not given out when the connection is lost; look at the broker's ACL and log")


def _sent(link: Link, word: Outgoing, wake: Waker) -> None:
    number = link.publish(word)
    if not _until(lambda: number in link.acknowledged, link, wake):
        raise BrokerLostError(f"{link.broker.url}: it acknowledges nothing")


def _until(what: Callable[[], bool], link: Link, wake: Waker) -> bool:
    end = time.monotonic() + PATIENCE_S
    while not what():
        if time.monotonic() > end:
            return False
        link.step(STEP_S, wake)
    return True
