"""The command line itself: version, help, completion, and how little is loaded before a command runs."""

import argparse
import shlex
import shutil
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest

from feltwatch.edge.cli.main import main
from feltwatch.edge.cli.options import COMMANDS, PROVIDERS, SHELLS, command_parser
from feltwatch.vision.detection import runtime

FELTWATCH = Path(sys.executable).with_name("feltwatch")


def actions(name: str) -> list[argparse.Action]:
    parser = argparse.ArgumentParser(add_help=False)
    COMMANDS[name].add_options(parser)
    return parser._actions  # noqa: SLF001  argparse offers no other way to list them


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"feltwatch {version('feltwatch')}\n"


def test_without_a_command_the_help_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("usage: feltwatch")
    assert all(f"\n    {name}" in shown.err for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_has_a_description_and_examples(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([name, "--help"])
    shown = capsys.readouterr().out
    assert COMMANDS[name].description in shown
    assert "\nexamples:\n  " in shown
    assert all(f"\n  {example}" in shown for example in COMMANDS[name].examples)


EXAMPLES = [(name, line) for name, command in COMMANDS.items() for line in command.examples]


@pytest.mark.parametrize(("name", "line"), EXAMPLES, ids=[line for _, line in EXAMPLES])
def test_the_examples_are_accepted(name: str, line: str) -> None:
    words = shlex.split(line.partition("(")[2].partition(")")[0] if "<(" in line else line.partition("|")[0])
    assert words[0] == "feltwatch"
    assert command_parser().parse_args(words[1:]).command == name


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_explained_and_its_default_shown(name: str) -> None:
    for action in actions(name):
        assert action.help, action.dest
        if action.default not in (None, False, []):
            assert "(default: " in action.help, action.dest


@pytest.mark.parametrize("name", COMMANDS)
def test_the_function_of_every_command_exists(name: str) -> None:
    module, _, function = COMMANDS[name].run.partition(":")
    assert callable(getattr(import_module(module), function))


def test_the_providers_in_the_help_are_those_of_the_runtime() -> None:
    assert tuple(runtime.PROVIDERS) == PROVIDERS


def test_help_loads_the_parser_and_nothing_else_of_ours(tmp_path: Path) -> None:
    command = [sys.executable, "-X", "importtime", str(FELTWATCH), "--help"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert {name for name in loaded if name.partition(".")[0] == "feltwatch"} == {
        "feltwatch",
        "feltwatch.datasets",
        "feltwatch.datasets.common",
        "feltwatch.datasets.common.errors",
        "feltwatch.edge",
        "feltwatch.edge.cli",
        "feltwatch.edge.cli.main",
        "feltwatch.edge.cli.options",
        "feltwatch.edge.errors",
    }
    slow = {
        "asyncio",
        "dataclasses",
        "decimal",
        "importlib.metadata",
        "inspect",
        "json",
        "logging",
        "msgspec",
        "socket",
    }
    assert loaded & slow == set()


# ---- completion -----------------------------------------------------------------------------------------------------


def complete_in_bash(script: Path, line: str) -> set[str]:
    words = line.split(" ")
    source = f"""source {script}
COMP_WORDS=({" ".join(shlex.quote(word) for word in words)}); COMP_CWORD={len(words) - 1}
_feltwatch; printf '%s\\n' "${{COMPREPLY[@]}}" """
    done = subprocess.run(["bash", "--norc", "-c", source], capture_output=True, text=True, check=True)  # noqa: S607  as installed
    assert done.stderr == ""
    return set(done.stdout.split())


def complete_in_fish(script: Path, line: str) -> set[str]:
    source = f"source {script}; complete -C {shlex.quote(line)}"
    done = subprocess.run(["fish", "--no-config", "-c", source], capture_output=True, text=True, check=True)  # noqa: S607  as above
    assert done.stderr == ""
    return {found.partition("\t")[0] for found in done.stdout.splitlines()}


def complete_in_zsh(script: Path, line: str) -> set[str]:
    """Give what the script hands to zsh's own functions, which show it only in a terminal."""
    words = line.split(" ")
    source = f"""compdef() {{ }}
_describe() {{ local one; for one in $commands; do print -- ${{one%%:*}}; done }}
_arguments() {{ local a; for a in "$@"; do print -l -- ${{${{a#\\*}}%%\\[*}} ${{=${{${{a##*:\\(}}%\\)}}}}; done }}
words=({" ".join(shlex.quote(word) for word in words)}); CURRENT={len(words)}
source {script}; _feltwatch"""
    shell = ["zsh", "-f", "-c", source]
    done = subprocess.run(shell, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return {found for found in done.stdout.split() if found.startswith(words[-1])}


COMPLETE = {"bash": complete_in_bash, "zsh": complete_in_zsh, "fish": complete_in_fish}


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[str, Path]:
    name: str = request.param
    assert main(["completion", name]) == 0
    script = tmp_path / f"feltwatch.{name}"
    script.write_text(capsys.readouterr().out, "utf-8")
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    return name, script


def test_a_shell_completes_commands_options_and_values(shell: tuple[str, Path]) -> None:
    name, script = shell
    complete = COMPLETE[name]
    assert complete(script, "feltwatch ") >= set(COMMANDS)
    assert {"doctor", "demo", "detect"} & complete(script, "feltwatch do") == {"doctor"}
    assert complete(script, "feltwatch replay --") >= {"--table", "--out", "--annotate", "--jobs"}
    assert "--table" not in complete(script, "feltwatch books --")
    assert complete(script, "feltwatch calibrate --paper ") >= {"a3", "a4", "letter"}
    assert complete(script, "feltwatch completion ") >= set(SHELLS)
