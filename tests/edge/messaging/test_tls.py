"""Who is let in and who is not, by a real broker set up with the files that we ship."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from msgspec.structs import replace

from feltwatch.edge.config.table_file import MqttSettings
from feltwatch.edge.messaging.errors import BrokerLostError, RefusedError
from feltwatch.edge.messaging.mqtt import Link, LinkTerms, Outgoing, Waker
from tests.certificates import Authority
from tests.mosquitto import Mosquitto, Witness, free_port, program

DEPLOY = Path(__file__).resolve().parents[3] / "edge" / "deploy" / "mosquitto"
SITE, TABLE, OTHER = "main-floor", "bj-07", "bj-08"
HOME, THEIRS, ELSEWHERE = (f"feltwatch/{one}" for one in (f"{SITE}/{TABLE}", f"{SITE}/{OTHER}", f"vip/{TABLE}"))
KINDS = (
    "status",
    "state",
    "health",
    "event",
    "verdict",
    "alert",
    "round",
    "evidence",
    "note",
    "command",
    "head",
    "doctor",
)
DENIED = 0x87


def certificates(folder: Path, *arguments: str) -> str:
    done = subprocess.run([DEPLOY / "certificates.sh", folder, *arguments], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    return done.stdout if done.returncode == 0 else f"{done.returncode}: {done.stderr}"


@dataclass(frozen=True)
class House:
    """A broker as it ships, with two tables and two people, and one who has a certificate for something else."""

    mosquitto: Mosquitto
    folder: Path
    certs: Path
    people: int  # their port

    def table(self, name: str = f"{SITE}/{TABLE}") -> MqttSettings:
        mine, ca = self.certs / name, self.certs / "ca.crt"
        cert, key = mine.with_suffix(".crt"), mine.with_suffix(".key")
        return MqttSettings(address=f"mqtts://localhost:{self.mosquitto.port}", ca=ca, cert=cert, key=key)

    def person(self, user: str, password: str) -> MqttSettings:
        path = self.folder / f"{user}.password"
        path.write_text(password)
        return MqttSettings(
            address=f"mqtts://localhost:{self.people}", user=user, password_file=path, ca=self.certs / "ca.crt"
        )

    def witness(self) -> Witness:
        return self.mosquitto.subscribe("#", ("-q", "1", *self.room))

    @property
    def room(self) -> tuple[str, ...]:
        login = ("-u", "control-room", "-P", "secret")
        return ("-h", "localhost", "-p", str(self.people), "--cafile", str(self.certs / "ca.crt"), *login)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("house")
    certs = folder / "certs"
    for arguments in (["ca"], ["server", "localhost", "127.0.0.1"], *(["table", SITE, one] for one in (TABLE, OTHER))):
        assert certificates(certs, *arguments).startswith(str(certs))
    shutil.copy(DEPLOY / "acl", folder / "feltwatch.acl")
    passwords = folder / "feltwatch.passwd"
    passwords.touch()
    for user, password in (("control-room", "secret"), ("cleaner", "broom")):
        subprocess.run([program("mosquitto_passwd"), "-b", passwords, user, password], check=True)
    port, people = free_port(), free_port()
    text = (DEPLOY / "mosquitto.conf").read_text()
    for ours, theirs in (("8883", port), ("8884", people), ("/etc/mosquitto", folder), ("/var/lib/mosquitto", folder)):
        assert str(ours) in text
        text = text.replace(str(ours), str(theirs))
    with Mosquitto(folder, text.splitlines(), port=port, whole=True) as mosquitto:
        yield House(mosquitto, folder, certs, people)


def came(broker: MqttSettings, client: str = "x", hears: str = f"{HOME}/cmd/#", will: str = f"{HOME}/status") -> Link:
    link = Link(broker, LinkTerms(client, Outgoing(will, b"will", retain=True), hears, connect_s=2.0), {})
    with closing(Waker()) as wake:
        link.open(wake)
        link.step(0.1, wake)
    return link


def taken(link: Link, topic: str) -> bool:
    """Tell whether the broker takes a message on a topic."""
    with closing(Waker()) as wake:
        link.publish(Outgoing(topic, b"x"))
        try:
            while link.flying:
                link.step(0.1, wake)
        except RefusedError as error:
            assert f"does not take messages on {topic}: this table may not write there" in str(error)  # noqa: PT017
            return False
    return True


def listened(link: Link) -> list[str]:
    """Give the topics of all that came: the broker answers this question after it."""
    assert not taken(link, f"{HOME}/cmd/signal/x")
    return [one.topic for one in link.received]


def test_a_table_writes_its_own_topics(house: House) -> None:
    witness = house.witness()
    with closing(came(house.table())) as link:
        assert all(taken(link, f"{HOME}/{kind}") for kind in KINDS)
    lines = witness.wait(lambda lines: len(lines) > len(KINDS))  # its last will too
    assert [line.topic for line in lines if line.payload == "x"] == [f"{HOME}/{kind}" for kind in KINDS]


@pytest.mark.parametrize(
    "topic",
    [
        f"{HOME}/cmd/signal",
        f"{HOME}/cmd/signal/control-room",
        f"{HOME}/cmd/signal/{TABLE}",
        f"{HOME}/cmd",
        f"{HOME}",
        f"{HOME}/other",
        f"{HOME}/event/more",
        f"{THEIRS}/event",
        f"{THEIRS}/cmd/signal/{SITE}/{TABLE}",
        f"{ELSEWHERE}/alert",
        f"feltwatch/{TABLE}/event",
        "feltwatch/event",
        "event",
        "$SYS/broker/x",
    ],
)
def test_a_table_writes_nothing_else(house: House, topic: str) -> None:
    with closing(came(house.table())) as link:
        assert not taken(link, topic)


def test_a_table_reads_its_own_commands_alone(house: House) -> None:
    with closing(came(house.table(), hears="#")) as link:
        with closing(came(house.person("control-room", "secret"), "room", "none", "x/will")) as room:
            for topic in (HOME, THEIRS, ELSEWHERE):
                assert taken(room, f"{topic}/cmd/signal/control-room")
        with closing(came(house.table(f"{SITE}/{OTHER}"), "other", "none", f"{THEIRS}/status")) as other:
            assert taken(other, f"{THEIRS}/event")
        assert taken(link, f"{HOME}/event")
        assert listened(link) == [f"{HOME}/cmd/signal/control-room"]


def test_the_surveillance_room_reads_all_and_commands_in_its_own_name(house: House) -> None:
    witness = house.witness()
    for topic in (f"{HOME}/cmd/signal", f"{HOME}/cmd/signal/somebody", f"{HOME}/event", "feltwatch/control-room/event"):
        with closing(came(house.person("control-room", "secret"), "room", "none", "x/will")) as room:
            assert not taken(room, topic)
    with closing(came(house.person("control-room", "secret"), "room", "none", "x/will")) as room:
        assert taken(room, f"{HOME}/cmd/signal/control-room")
        assert taken(room, f"{ELSEWHERE}/cmd/signal/control-room")
    with closing(came(house.table())) as link:
        assert taken(link, f"{HOME}/note")
    lines = witness.wait(lambda lines: any(line.topic == f"{HOME}/note" for line in lines))
    assert {f"{HOME}/cmd/signal/control-room", f"{ELSEWHERE}/cmd/signal/control-room"} < {line.topic for line in lines}


@pytest.mark.parametrize("topic", [f"{HOME}/event", f"{HOME}/cmd/signal/cleaner", "feltwatch/cleaner/event"])
def test_another_user_does_nothing(house: House, topic: str) -> None:
    with closing(came(house.person("cleaner", "broom"), "cleaner", "#", "x/will")) as link:
        with closing(came(house.table())) as table:
            assert taken(table, f"{HOME}/event")
        assert not taken(link, topic)
        assert not link.received


def test_another_tables_certificate_writes_nothing_of_ours(house: House) -> None:
    with closing(came(house.table(f"{SITE}/{OTHER}"))) as link:
        assert not taken(link, f"{HOME}/status")
    witness = house.mosquitto.subscribe(f"{HOME}/status", ("-q", "1", *house.room))
    with closing(came(house.table(f"{SITE}/{OTHER}"))) as link:
        link.close()  # whose last will is ours
    with closing(came(house.table())):
        pass
    witness.wait(lambda lines: any(line.payload == "will" and not line.retained for line in lines))
    assert len([line for line in witness.lines if not line.retained]) == 1  # that of the right one


def refusal(broker: MqttSettings) -> str:
    with pytest.raises(RefusedError) as found:
        came(broker)
    assert str(found.value).count("mqtt") <= 4
    return str(found.value)


def test_a_certificate_that_is_missing_old_or_foreign_is_not_let_in(house: House, tmp_path: Path) -> None:
    foreign = Authority(tmp_path / "foreign")
    stranger = foreign.table(f"{SITE}/{TABLE}")
    whole = house.table()
    assert "it wants a certificate; name mqtt.cert and mqtt.key" in refusal(replace(whole, cert=None, key=None))
    theirs = refusal(replace(whole, cert=stranger.cert, key=stranger.key))
    assert "it does not know who signed this table's certificate" in theirs
    assert "expected " in refusal(replace(whole, key=stranger.key))
    assert "key values mismatch" in refusal(replace(whole, key=stranger.key))
    assert "expected certificates in PEM: no such file" in refusal(replace(whole, ca=tmp_path / "none"))
    assert "the broker's certificate is not accepted: self-signed" in refusal(replace(whole, ca=foreign.ca))
    assert "the broker's certificate is not accepted" in refusal(replace(whole, ca=None))
    password = replace(whole, cert=None, key=None, user="control-room")
    assert "it wants a certificate" in refusal(password)


def test_a_wrong_password_and_nobody_are_not_let_in(house: House) -> None:
    wrong = house.person("control-room", "wrong")
    assert "user name, password or certificate are not accepted" in refusal(wrong)
    assert "not authorized" in refusal(replace(wrong, user=None, password_file=None))


def test_a_certificate_that_has_expired_is_not_let_in(tmp_path: Path) -> None:
    own = Authority(tmp_path / "own")
    good, old, old_server = own.table("a/b"), own.table("a/b", expired=True), own.server("localhost", expired=True)
    elsewhere = own.server("broker.casino", name="elsewhere")
    for number, server in enumerate((own.server("localhost", name="now"), old_server, elsewhere)):
        (tmp_path / str(number)).mkdir()
        lines = [f"cafile {own.ca}", f"certfile {server.cert}", f"keyfile {server.key}", "require_certificate true"]
        with Mosquitto(tmp_path / str(number), lines) as mosquitto:
            broker = MqttSettings(
                address=f"mqtts://localhost:{mosquitto.port}", ca=own.ca, cert=good.cert, key=good.key
            )
            if server is old_server:
                assert "the broker's certificate is not accepted: certificate has expired" in refusal(broker)
            elif server is elsewhere:
                assert "certificate is not valid for 'localhost'" in refusal(broker)
            else:
                came(broker).close()
                assert "this table's certificate has expired" in refusal(replace(broker, cert=old.cert, key=old.key))
                plain = MqttSettings(address=f"mqtt://localhost:{mosquitto.port}")
                with pytest.raises(BrokerLostError, match=r"does it speak TLS there, and does mqtt\.url say so"):
                    came(plain)


def test_tls_older_than_1_2_is_not_spoken(tmp_path: Path) -> None:
    own = Authority(tmp_path)
    server = own.server("localhost")
    port = str(free_port())
    command = [program("openssl"), "s_server", "-accept", port, "-cert", str(server.cert), "-key", str(server.key)]
    process = subprocess.Popen([*command, "-tls1_1", "-cipher", "ALL:@SECLEVEL=0", "-quiet"], stderr=subprocess.DEVNULL)
    try:
        broker = MqttSettings(address=f"mqtts://localhost:{int(port)}", ca=own.ca)
        while True:
            with pytest.raises(BrokerLostError) as found:
                came(broker)
            if "nothing listens" not in str(found.value):
                break
        assert isinstance(found.value, RefusedError)
        assert "TLS" in str(found.value)
    finally:
        process.kill()
        process.wait()


def test_certificates_are_made_once_and_for_names_that_fit(tmp_path: Path) -> None:
    folder = tmp_path / "certs"
    assert "run: certificates.sh" in certificates(folder, "table", "a", "b")
    assert certificates(folder, "ca").startswith(str(folder))
    assert certificates(folder, "table", "a", "b").startswith(f"{folder}/a/b.crt and a/b.key: a/b, until ")
    for arguments, says in (
        (["ca"], "is there already"),
        (["table", "a", "b"], "is there already"),
        (["table", "a/b", "c"], "expected letters"),
        (["table", "a", ".."], "expected letters"),
        (["table", "a" * 40, "b" * 40], "no more than 64"),
        (["server", "a b"], "expected the name or the address"),
        (["table", "a"], "certificates.sh FOLDER"),
        (["nothing"], "certificates.sh FOLDER"),
    ):
        found = certificates(folder, *arguments)
        assert found.startswith("2: ")
        assert says in found
    assert {path.stat().st_mode & 0o077 for path in folder.rglob("*.key")} == {0}
    assert not [*folder.rglob("*.cnf")]
