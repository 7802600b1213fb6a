"""What `feltwatch doctor` says of a broker: a real mosquitto, real certificates, wrong in one way after another."""

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from msgspec import structs

from feltwatch.edge.config.secret_files import with_credentials
from feltwatch.edge.config.table_file import MqttSettings, TableFile, read_table
from feltwatch.edge.doctor.broker import SOON, broker, dated
from feltwatch.edge.doctor.checks import CheckResult, CheckState
from tests.certificates import Authority, Certificate
from tests.edge.scripted_watcher import CLIPS
from tests.mosquitto import Mosquitto, free_port, program

OK, WARN, BAD = CheckState.OK, CheckState.WARN, CheckState.BAD
ACL = Path(__file__).parents[3] / "edge" / "deploy" / "mosquitto" / "acl"


@pytest.fixture(scope="module")
def table() -> TableFile:
    return read_table(CLIPS / "demo.table.toml")


@dataclass(frozen=True)
class Secure:
    """A broker that wants a certificate, and all that it takes to come in."""

    broker: MqttSettings
    authority: Authority
    table: Certificate
    folder: Path


@pytest.fixture(scope="module")
def secure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secure]:
    folder = tmp_path_factory.mktemp("secure")
    authority = Authority(folder / "authority")
    server, table = authority.server("127.0.0.1"), authority.table("demo/demo")
    table.key.chmod(0o600)
    shutil.copy(ACL, folder / "acl")
    config = [
        f"cafile {authority.ca}",
        f"certfile {server.cert}",
        f"keyfile {server.key}",
        "require_certificate true",
        "use_identity_as_username true",
        f"acl_file {folder / 'acl'}",
    ]
    with Mosquitto(folder, config) as running:
        own = MqttSettings(address=f"mqtts://127.0.0.1:{running.port}", ca=authority.ca, cert=table.cert, key=table.key)
        yield Secure(own, authority, table, folder)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mosquitto]:
    """Give a broker that wants a user and a password, and gives the table all of its own topics."""
    folder = tmp_path_factory.mktemp("plain")
    with_password = [program("mosquitto_passwd"), "-b", "-c", str(folder / "users"), "demo", "hunter2"]
    subprocess.run(with_password, check=True, capture_output=True)
    (folder / "users").chmod(0o600)
    (folder / "acl").write_text("pattern readwrite feltwatch/demo/%u/#\n")
    (folder / "password").write_text("hunter2\n")
    (folder / "password").chmod(0o600)
    config = ["allow_anonymous false", f"password_file {folder / 'users'}", f"acl_file {folder / 'acl'}"]
    with Mosquitto(folder, config) as running:
        yield running


@pytest.fixture(scope="module")
def plain(running: Mosquitto) -> MqttSettings:
    password = running.folder / "password"
    return MqttSettings(address=f"mqtt://127.0.0.1:{running.port}", user="demo", password_file=password)


def told(table: TableFile, mqtt: MqttSettings | None, **environ: str) -> list[CheckResult]:
    return [*broker(replace(table, mqtt=mqtt), environ)]


def changed(mqtt: MqttSettings, change: Mapping[str, object]) -> MqttSettings:
    """Give the settings with some changed; in a new address, `{port}` is the port of the old one."""
    new = {key: str(value).format(port=mqtt.port) if key == "address" else value for key, value in change.items()}
    return structs.replace(mqtt, **new)


def faults(found: list[CheckResult]) -> str:
    return "\n".join(one.says for one in found if one.state == BAD)


def test_a_broker_of_its_own_is_well(table: TableFile) -> None:
    (found,) = told(table, None)
    assert found.state == OK
    assert "a broker of its own, for this device alone" in found.says


def test_a_broker_that_lets_the_table_do_all_it_must(table: TableFile, plain: MqttSettings) -> None:
    found = told(table, plain)
    assert [one.state for one in found] == [OK] * 4
    assert found[0].says == f"{plain.url}: the broker accepts this table"
    assert found[-1].says == "the broker publishes the last will when the connection is lost"


def test_nobody_who_listens_to_the_table_takes_it_for_the_table(
    table: TableFile, plain: MqttSettings, running: Mosquitto
) -> None:
    """Status, the kinds of messages and commands stay as they are."""
    witness = running.subscribe("feltwatch/demo/demo/#", ("-u", "demo", "-P", "hunter2"))
    assert not faults(told(table, plain))
    lines = witness.wait(lambda lines: len(lines) >= 4)
    assert {(line.topic, line.payload, line.retained) for line in lines} == {
        ("feltwatch/demo/demo/doctor", "{}", False)
    }


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"user": "demo2"}, "not accepted"),
        ({"user": None}, "expected a user where there is a password"),
        ({"password_file": None}, "not accepted"),
        ({"password_file": Path("/nowhere/password")}, "/nowhere/password: expected a password: no such file"),
        ({"address": "mqtts://127.0.0.1:{port}"}, "does it speak TLS there"),
        ({"address": "mqtt://no-such-broker.invalid:{port}"}, "the name cannot be resolved"),
        ({"address": "mqtt://127.0.0.1:1"}, "refuses connections on this port; check that the broker is running"),
    ],
)
def test_a_login_that_is_wrong(change: dict[str, object], says: str, table: TableFile, plain: MqttSettings) -> None:
    found = told(table, changed(plain, change))
    assert says in faults(found)
    assert "hunter2" not in faults(found)


def test_a_wrong_password(table: TableFile, plain: MqttSettings, tmp_path: Path) -> None:
    wrong = tmp_path / "password"
    wrong.write_text("hunter3")
    wrong.chmod(0o644)
    found = told(table, changed(plain, {"password_file": wrong}))
    assert [one.state for one in found] == [WARN, BAD]
    assert "every user of this device can read it; run chmod o-rwx" in found[0].says
    assert "not accepted" in found[1].says or "are wrong" in found[1].says


def test_another_tables_topics_are_not_this_ones(table: TableFile, plain: MqttSettings) -> None:
    found = told(replace(table, id="bj-08"), plain)
    assert found[0].state == OK  # it came in
    assert "does not take messages on feltwatch/demo/bj-08/doctor" in faults(found)
    assert "may not write there" in faults(found)


def test_a_broker_behind_tls_that_wants_a_certificate(table: TableFile, secure: Secure) -> None:
    found = told(table, secure.broker)
    assert not faults(found)
    says = [one.says for one in found]
    assert [says[0][:39], says[1][:27], says[2][:34]] == [
        "this table's certificate (CN=demo/demo)",
        "the authority's certificate",
        "the broker's certificate (CN=serve",
    ]
    assert [one.state for one in found[:3]] == [WARN] * 3  # they are good for an hour
    assert found[-1].says == "the broker takes the last will; its ACL does not let this table receive it"


def test_certificates_that_are_wrong(table: TableFile, secure: Secure, tmp_path: Path) -> None:
    other = Authority(tmp_path, "another")
    stranger, old = other.table("demo"), secure.authority.table("demo/demo", expired=True)
    for change, says in (
        ({"ca": other.ca}, "the broker's certificate is not accepted"),
        ({"ca": None}, "the broker's certificate is not accepted"),
        ({"cert": None, "key": None}, "it wants a certificate"),
        ({"cert": stranger.cert, "key": stranger.key}, "this table's certificate"),
        ({"cert": old.cert, "key": old.key}, "this table's certificate (CN=demo/demo) has expired on"),
        ({"key": stranger.key}, "its key, without a password"),
        ({"cert": stranger.key}, "demo.key: expected this table's certificate: no certificate in PEM"),
        ({"ca": tmp_path / "none.crt"}, "expected the authority's certificate: no such file"),
        ({"address": "mqtts://localhost:{port}"}, "the broker's certificate is not accepted"),
        ({"address": "mqtt://127.0.0.1:{port}", "ca": None, "cert": None, "key": None}, "the broker"),
    ):
        found = told(table, changed(secure.broker, change))
        assert faults(found), change
        assert says in faults(found)


def test_a_broker_whose_certificate_has_expired(table: TableFile, tmp_path: Path) -> None:
    authority = Authority(tmp_path / "authority")
    server = authority.server("127.0.0.1", expired=True)
    with Mosquitto(tmp_path, [f"certfile {server.cert}", f"keyfile {server.key}"]) as running:
        found = told(table, MqttSettings(address=f"mqtts://127.0.0.1:{running.port}", ca=authority.ca))
    assert "the broker's certificate (CN=server) has expired on" in faults(found)
    assert "certificate has expired; look at mqtt.ca" in faults(found)


def test_a_port_at_which_nobody_speaks_mqtt(table: TableFile) -> None:
    found = told(table, MqttSettings(address=f"mqtt://127.0.0.1:{free_port()}"))
    assert "refuses connections on this port" in faults(found)


@pytest.mark.parametrize(
    ("after", "state", "says"),
    [
        (timedelta(hours=-2), BAD, "is valid from"),
        (timedelta(), WARN, "0 days more: renew it in time"),
        (timedelta(days=2), BAD, "has expired on"),
    ],
)
def test_the_dates_of_a_certificate(after: timedelta, state: CheckState, says: str, tmp_path: Path) -> None:
    made = x509.load_pem_x509_certificate(Authority(tmp_path).table("bj-07").cert.read_bytes())
    found = dated(made, "this table's certificate", datetime.now(UTC) + after)
    assert found.state == state
    assert says in found.says
    assert dated(made, "its", made.not_valid_after_utc - SOON - timedelta(minutes=1)).state == BAD  # not yet valid


def test_what_systemd_hands_in_is_taken(tmp_path: Path) -> None:
    """By name, where it is there and not empty."""
    given = MqttSettings(
        address="mqtts://broker:8883",
        password_file=Path("/etc/f/bj.password"),
        cert=Path("/etc/f/bj.crt"),
        key=Path("/etc/f/bj.key"),
    )
    assert with_credentials(given, {}) == given
    assert with_credentials(given, {"CREDENTIALS_DIRECTORY": str(tmp_path)}) == given
    (tmp_path / "bj.password").write_text("secret")
    (tmp_path / "bj.key").write_text("\n")
    found = with_credentials(given, {"CREDENTIALS_DIRECTORY": str(tmp_path)})
    assert (found.password_file, found.key, found.cert) == (tmp_path / "bj.password", given.key, given.cert)
