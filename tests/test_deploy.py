"""What installs feltwatch is whole: each command is one, each file is there, and no user has more rights than he needs.

That all of it works together is shown by tests/faults/bare_debian.sh, which needs root and a bare Debian.
"""

import json
import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]  # comes with the broker, without types

from feltwatch.edge.cli.options import command_parser
from feltwatch.edge.config.table_file import read_table
from tests.mosquitto import Mosquitto

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "edge" / "deploy"
UNIT = DEPLOY / "feltwatch@.service"
SITE = "/opt/feltwatch/lib/python3.11/site-packages/"
PORT = 9464
WRITTEN_BY_SYSTEMD = shutil.which("systemd-analyze")


def unit(path: Path = UNIT) -> dict[str, list[str]]:
    """Give what a unit sets, in all of its sections: a name may be set more than once."""
    found: dict[str, list[str]] = {}
    for line in path.read_text("utf-8").splitlines():
        if line and line[0] not in "#[":
            name, _, value = line.partition("=")
            found.setdefault(name, []).append(value)
    return found


def instructions() -> list[tuple[str, str]]:
    """Give the instructions of the Containerfile, each on one line."""
    text = re.sub(r"^#.*\n", "", (DEPLOY / "Containerfile").read_text("utf-8"), flags=re.MULTILINE)
    lines = re.sub(r"\\\n\s*", "", text).splitlines()
    return [(name, rest) for name, _, rest in (line.partition(" ") for line in lines if line)]


@pytest.fixture(scope="module")
def composed() -> Mapping[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
    return found


def tables(composed: Mapping[str, Any]) -> dict[str, Any]:
    return {name: one for name, one in composed["services"].items() if name != "broker"}


# --- systemd


def test_the_service_runs_a_command_that_there_is() -> None:
    (command,) = unit()["ExecStart"]
    program, *arguments = command.replace("%i", "bj-07").split()
    assert program == "/opt/feltwatch/bin/feltwatch"
    options = command_parser().parse_args(arguments)
    assert (options.command, options.quiet) == ("run", True)
    assert options.tables == ["/etc/feltwatch/bj-07.toml"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Type", "notify"),
        ("Restart", "always"),
        ("User", "feltwatch"),
        ("StateDirectory", "feltwatch"),
        ("StateDirectoryMode", "0700"),
        ("UMask", "0077"),
        ("NoNewPrivileges", "yes"),
        ("CapabilityBoundingSet", ""),
        ("AmbientCapabilities", ""),
        ("ProtectSystem", "strict"),
        ("ProtectHome", "yes"),
        ("PrivateTmp", "yes"),
        ("MemoryDenyWriteExecute", "yes"),
        ("RestrictAddressFamilies", "AF_INET AF_INET6 AF_UNIX"),
        ("DevicePolicy", "closed"),
        ("DeviceAllow", "char-video4linux rw"),
        ("SystemCallArchitectures", "native"),
        ("StartLimitIntervalSec", "0"),
    ],
)
def test_the_service_has_no_more_rights_than_it_needs(name: str, value: str) -> None:
    assert unit()[name] == [value]


def test_the_service_is_watched_limited_and_handed_its_secrets() -> None:
    found = unit()
    assert 10 <= int(found["WatchdogSec"][0].removesuffix("s")) <= 60
    assert found["MemoryMax"] == ["2G"]
    assert found["SystemCallFilter"][0] == "@system-service"
    assert [one.partition(":")[0] for one in found["LoadCredential"]] == ["%i.password", "%i.key", "%i.camera"]
    empty = [f"%i.{one}:\\n" for one in ("password", "key", "camera")]  # or a table without one could not start
    assert found["SetCredential"] == empty
    assert not any("%i" not in one for one in found["LoadCredential"])
    assert "RestartSteps" in unit(DEPLOY / "backoff.conf")


@pytest.mark.skipif(WRITTEN_BY_SYSTEMD is None, reason="needs systemd-analyze")
def test_systemd_has_nothing_against_the_unit(tmp_path: Path) -> None:
    """Not even a warning; and it calls the exposure of the service low."""
    copy = tmp_path / UNIT.name
    copy.write_text(UNIT.read_text("utf-8").replace("/opt/feltwatch/bin/feltwatch", "/bin/true"))
    command = [str(WRITTEN_BY_SYSTEMD), "verify", "--man=no", str(copy)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert [line for line in done.stderr.splitlines() if copy.name.partition("@")[0] in line] == []
    done = subprocess.run(
        [str(WRITTEN_BY_SYSTEMD), "security", "--offline=true", "--threshold=20", "--no-pager", str(copy)],
        capture_output=True,
        text=True,
        env={**os.environ, "SYSTEMD_COLORS": "0"},
        check=False,
    )
    assert done.returncode == 0, done.stdout[-300:]
    assert "Overall exposure level" in done.stdout


# --- the container


def test_the_container_takes_all_that_the_wheel_is_made_of() -> None:
    copied = {source for name, rest in instructions() if name == "COPY" for source in rest.split()[:-1]}
    copied = {one for one in copied if not one.startswith(("/", "--"))}
    assert all((ROOT / one).exists() for one in copied)
    packages = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["package-dir"]
    assert {one.partition("/")[0] for one in packages.values()} <= copied
    assert {"requirements/run.txt", "requirements/build.txt", "pyproject.toml", "LICENSE"} <= copied


def test_the_container_installs_what_is_pinned_as_nobodys_root() -> None:
    found = instructions()
    fetching = [one for name, rest in found if name == "RUN" for one in rest.split("&&") if " install " in one]
    for one in fetching:
        if "/bin/pip " in one:
            assert "--require-hashes" in one or "--no-deps /wheel/" in one
    users = [rest for name, rest in found if name == "USER"]
    assert users == ["10001:10001"]
    last = max(n for n, (name, _) in enumerate(found) if name == "FROM")
    assert ("USER", "10001:10001") in found[last:]
    assert ("VOLUME", "/var/lib/feltwatch") in found


def test_the_container_runs_a_command_that_there_is_and_asks_for_its_health() -> None:
    found = dict(instructions())
    assert json.loads(found["ENTRYPOINT"]) == ["feltwatch"]
    assert command_parser().parse_args(json.loads(found["CMD"])).command == "run"
    check = json.loads(found["HEALTHCHECK"].partition("CMD ")[2])
    assert f"http://127.0.0.1:{PORT}/healthz" in check[-1]
    compile(check[-1], "HEALTHCHECK", "exec")
    assert found["EXPOSE"] == str(PORT)


# --- compose


def test_two_tables_and_a_broker_without_rights_they_do_not_need(composed: Mapping[str, Any]) -> None:
    assert len(tables(composed)) == 2
    for one in composed["services"].values():
        assert one["read_only"] is True
        assert one["cap_drop"] == ["ALL"]
        assert one["security_opt"] == ["no-new-privileges:true"]
        assert one["mem_limit"]
        assert all(port.startswith("127.0.0.1:") for port in one["ports"])
        assert not one.get("privileged")
        assert one.get("user", "10001") != "0"


def test_every_file_and_volume_it_names_is_there(composed: Mapping[str, Any]) -> None:
    for one in composed["services"].values():
        for volume in one["volumes"]:
            source, _, target = volume.partition(":")
            if source.startswith("."):
                assert (DEPLOY / source).is_file()
                assert target.endswith(":ro")
            else:
                assert source in composed["volumes"]
    build = next(iter(tables(composed).values()))["build"]
    assert (DEPLOY / build["context"]).resolve() == ROOT
    assert ROOT / build["dockerfile"] == DEPLOY / "Containerfile"


def test_its_tables_are_tables_of_one_broker(composed: Mapping[str, Any]) -> None:
    demo = read_table(ROOT / "datasets" / "clips" / "demo.table.toml")
    ports = []
    for name, one in tables(composed).items():
        options = command_parser().parse_args(one["command"])
        (mount,) = [volume for volume in one["volumes"] if volume.startswith("./")]
        source, inside, _ = mount.split(":")
        assert options.tables == [inside]
        table = read_table(DEPLOY / source)
        (camera,), (shown,) = table.cameras, demo.cameras
        assert (table.id, table.site) == (name, "main-floor")
        assert camera.loop
        assert (ROOT / camera.source.removeprefix(SITE)).is_file()
        assert (camera.marks, camera.lens, table.layout) == (shown.marks, shown.lens, demo.layout)
        assert table.mqtt is not None
        assert table.mqtt.host in composed["services"]
        assert table.serve == ("0.0.0.0", PORT)  # noqa: S104  in its container; only this machine sees its port
        assert one["depends_on"] == {"broker": {"condition": "service_healthy"}}
        ports += one["ports"]
    assert sorted(ports) == [f"127.0.0.1:{PORT + n}:{PORT}" for n in range(2)]


def test_its_broker_starts_with_its_configuration(tmp_path: Path) -> None:
    text = (DEPLOY / "compose" / "mosquitto.conf").read_text("utf-8")
    (tmp_path / "data").mkdir()
    lines = text.replace("/mosquitto/data", str(tmp_path / "data")).splitlines()
    assert "listener 1883" in lines
    with Mosquitto(tmp_path, [line for line in lines if not line.startswith("listener ")]) as broker:
        witness = broker.subscribe("feltwatch/#")
        assert broker.publish("feltwatch/main-floor/bj-01/event", "{}").returncode == 0
        assert witness.wait(len)[0].topic == "feltwatch/main-floor/bj-01/event"


def test_what_proves_it_is_a_script() -> None:
    script = ROOT / "tests" / "faults" / "bare_debian.sh"
    assert subprocess.run(["/bin/bash", "-n", script], capture_output=True, check=False).returncode == 0
    assert os.access(script, os.X_OK)
    parts = re.findall(r"^    ([a-z]+)\) \w+ ;;$", script.read_text("utf-8"), re.MULTILINE)
    page = (ROOT / "docs" / "install.md").read_text("utf-8")
    assert f"tests/faults/bare_debian.sh {' '.join(parts)}" in page


def test_what_is_installed_by_hand_is_what_the_container_installs() -> None:
    page = (ROOT / "docs" / "install.md").read_text("utf-8")
    assert f"version={tomllib.loads((ROOT / 'pyproject.toml').read_text('utf-8'))['project']['version']}" in page
    for part in ("run", "build"):
        assert f"pip install --only-binary=:all: --require-hashes -r requirements/{part}.txt" in page
    for name in re.findall(r"edge/deploy/[\w@./-]+", page):
        assert (ROOT / name.rstrip(".")).exists(), name
