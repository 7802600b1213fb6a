"""What users and newcomers read is plain modern English: a list of words stays out of it."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from feltwatch.edge.cli.main import main

ROOT: Final = Path(__file__).resolve().parents[1]
ROOMS: Final = ("engine", "vision", "edge", "models", "datasets", "tests")
PAGES: Final = (
    *("README.md", "Makefile", "docs/**/*.md", "docs/*.json", "models/**/*.md", "datasets/**/*.md"),
    *("edge/**/*.json", "edge/pages/*.[hcj]*", "edge/deploy/**/*"),
)

WORDS: Final = re.compile(
    r"(?<![\w-])(?:told|anew|amiss|nought|nobody|somebody|whoever|thereof|wherever|of which|that is none|what is none"
    r"|is said|are said|be said|it says so|says so|as it lies|as they lie|befalls?"
    r"|(?:whole|edge|Linux|busy|kinds? of) box|box is busy|boxes for one table)(?![\w-])",  # a box is a betting box
    re.IGNORECASE,
)

# In names of code too. `told` is a value of the setting `decisions`; of tracking, the insides are to be redesigned.
NAMES: Final = re.compile(
    r"(?:^|_)(?:told|anew|amiss|nought|nobody|somebody|whoever|befalls?|hush(?:ed)?|overheard)(?:_|$)"
)
MAY_NAME: Final = ("vision/tracking/", "datasets/deal/", "engine/", "tests/")

# What may stand: quotations from rule books, and public names.
ALLOWED: Final = (
    "decisions=told",  # a value of a setting
    "`told`",
    '                "told",',  # in the schema of a table's file
    "[auto | told | silent]",
)
QUOTED: Final = ("docs/compliance.md",)  # the clauses of the books


def faults(text: str) -> list[str]:
    if text == "told":  # the value itself, in code
        return []
    for name in ALLOWED:
        text = text.replace(name, "")
    return [found.group() for found in WORDS.finditer(text)]


def docstrings(tree: ast.Module) -> set[ast.expr]:
    bodies = (node.body for node in ast.walk(tree) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef))
    return {body[0].value for body in bodies if body and isinstance(body[0], ast.Expr)}


def spoken(path: Path) -> Iterator[tuple[int, str]]:
    """Give every docstring, comment and string of a module, with its line.

    Of the engine and the tests no other strings: the engine's sentences are golden, byte for byte
    (tests/rounds/sentences.txt), and the tests' are data.
    """
    source = path.read_text("utf-8")
    tree = ast.parse(source)
    read = docstrings(tree) if path.relative_to(ROOT).parts[0] in ("engine", "tests") else set(ast.walk(tree))
    for node in read:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Give every function, class, parameter, variable and attribute that a module names, with its line."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield node.lineno, name
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield node.lineno, name


def name_faults(source: str) -> list[str]:
    return [f"{line}: {name}" for line, name in names(ast.parse(source)) if NAMES.search(name.lower())]


def pages() -> list[Path]:
    found = {path for pattern in PAGES for path in ROOT.glob(pattern) if path.is_file()}
    return sorted(path for path in found if str(path.relative_to(ROOT)) not in QUOTED)


def modules() -> list[Path]:
    found = (path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py")))
    return [path for path in found if path != Path(__file__)]


@pytest.mark.parametrize("path", pages(), ids=lambda path: str(path.relative_to(ROOT)))
def test_pages_are_in_plain_words(path: Path) -> None:
    lines = enumerate(path.read_text("utf-8").splitlines(), 1)
    assert [f"{path.name}:{number}: {word}" for number, line in lines for word in faults(line)] == []


@pytest.mark.parametrize("room", ROOMS)
def test_docstrings_messages_and_comments_are_in_plain_words(room: str) -> None:
    assert [
        f"{path.relative_to(ROOT)}:{line}: {word}"
        for path in modules()
        if path.is_relative_to(ROOT / room)
        for line, text in spoken(path)
        for word in faults(text)
    ] == []


def test_names_are_plain_words() -> None:
    paths = [path for path in modules() if not str(path.relative_to(ROOT)).startswith(MAY_NAME)]
    assert len(paths) >= 200
    assert [
        f"{path.relative_to(ROOT)}:{fault}" for path in paths for fault in name_faults(path.read_text("utf-8"))
    ] == []


@pytest.mark.parametrize("source", ["def told(): ...", "class Nobody: ...", "x.kept_anew = 1", "def f(told_at): ..."])
def test_a_name_of_the_list_is_found(source: str) -> None:
    assert len(name_faults(source)) == 1


def help_of(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as ended:
        main([*arguments, "--help"])
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_the_help_of_every_command_is_in_plain_words(capsys: pytest.CaptureFixture[str]) -> None:
    top = help_of([], capsys)
    commands = re.findall(r"^ {4}(\w+)(?: |$)", top, re.MULTILINE)
    assert {"run", "replay", "detect", "judge", "doctor", "verify"} <= set(commands)
    helps = {"feltwatch": top, **{command: help_of([command], capsys) for command in commands}}
    assert {command: found for command, text in helps.items() if (found := faults(text))} == {}


@pytest.mark.parametrize(
    "text", ["It is told anew.", "Whoever asks.", "all of which", "The book says so.", "a busy box"]
)
def test_a_word_of_the_list_is_found(text: str) -> None:
    assert faults(text)


@pytest.mark.parametrize("text", ["feltwatch judge --set decisions=told", "retold", "wherever_it_is", "renewal"])
def test_public_names_and_other_words_are_not(text: str) -> None:
    assert faults(text) == []
