"""`feltwatch judge` as its users meet it: pipes, files, and whatever is wrong with them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import feltwatch
from feltwatch.engine.transcript.parse import parse

ROOT = Path(__file__).parents[3]
JUDGE = [sys.executable, "-m", "feltwatch.edge.cli.main", "judge", "--book", "blackjack-rws-v5"]
BET = '{"t":0,"event":"chips","spot":"box1.main","amount":100,"by":"player"}\n'


def run(text: str | bytes, *more: str, command: list[str] | None = None) -> subprocess.CompletedProcess[str]:
    raw = text.encode() if isinstance(text, str) else text
    done = subprocess.run([*(command or JUDGE), *more], input=raw, capture_output=True, check=False, cwd=ROOT)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


BAD: dict[str, tuple[str | bytes, str]] = {
    "broken JSON": ('{"t":1,"event":\n', "not JSON"),
    "no object": ("[1,2]\n", "expected a JSON object"),
    "a number": ("7\n", "expected a JSON object"),
    "no time": ('{"event":"clear"}\n', "'t': expected seconds"),
    "time as text": ('{"t":"1","event":"clear"}\n', "'t': expected seconds"),
    "time below nought": ('{"t":-1,"event":"clear"}\n', "'t': expected seconds"),
    "unknown event": ('{"t":1,"event":"shuffle"}\n', "unknown event 'shuffle'"),
    "event of no text": ('{"t":1,"event":{}}\n', "unknown event {}"),
    "unknown zone": (
        '{"t":1,"event":"card","id":"c1","zone":"box12.cards","card":"9h"}\n',
        "unknown zone 'box12.cards'",
    ),
    "zone of no text": ('{"t":1,"event":"card","id":"c1","zone":[],"card":"9h"}\n', "unknown zone []"),
    "impossible hand": (
        '{"t":1,"event":"card","id":"c1","zone":"box1.cards","card":"9h","hand":7}\n',
        "expected hand 1 to 4",
    ),
    "impossible card": ('{"t":1,"event":"card","id":"c1","zone":"box1.cards","card":"1h"}\n', "expected a card"),
    "card of no text": ('{"t":1,"event":"card","id":"c1","zone":"box1.cards","card":{}}\n', "expected a card"),
    "impossible face": ('{"t":1,"event":"card","id":"c1","zone":"box1.cards","face":"side"}\n', "expected up or down"),
    "impossible confidence": ('{"t":1,"event":"card","id":"c1","zone":"shoe","confidence":2}\n', "'confidence'"),
    "impossible moment": (
        '{"t":1,"event":"card","id":"c1","zone":"box1.cards","since":-1}\n',
        "'since': expected seconds",
    ),
    "hidden zones of no list": ('{"t":1,"event":"tick","hidden":"box1.cards"}\n', "'hidden': expected a list"),
    "unknown hidden zone": ('{"t":1,"event":"tick","hidden":["box12.cards"]}\n', "unknown zone 'box12.cards'"),
    "no id": ('{"t":1,"event":"remove"}\n', "needs 'id'"),
    "empty id": ('{"t":1,"event":"remove","id":""}\n', "'id': expected"),
    "unknown spot": ('{"t":1,"event":"chips","spot":"box1.lucky","amount":1}\n', "unknown spot 'box1.lucky'"),
    "spot of no text": ('{"t":1,"event":"chips","spot":4,"amount":1}\n', "expected a spot"),
    "negative amount": ('{"t":1,"event":"chips","spot":"box1.main","amount":-1}\n', "'amount': expected an amount"),
    "amount as text": ('{"t":1,"event":"chips","spot":"box1.main","amount":"9"}\n', "'amount': expected a number"),
    "huge exponent": ('{"t":1,"event":"chips","spot":"box1.main","amount":1e999999999999999999999}\n', "not an event"),
    "too fine an amount": ('{"t":1,"event":"chips","spot":"box1.main","amount":0.0000001}\n', "at most six decimals"),
    "no amount": ('{"t":1,"event":"chips","spot":"box1.main"}\n', "needs 'amount'"),
    "stacks of no list": ('{"t":1,"event":"chips","spot":"box1.main","amount":null,"stacks":3}\n', "'stacks'"),
    "stack of no object": ('{"t":1,"event":"chips","spot":"box1.main","amount":null,"stacks":[3]}\n', "'stacks'"),
    "count below nought": (
        '{"t":1,"event":"chips","spot":"box1.main","amount":null,"stacks":[{"count":-3}]}\n',
        "'count'",
    ),
    "unknown hand moved it": (
        '{"t":1,"event":"chips","spot":"box1.main","amount":1,"by":"cat"}\n',
        "'by': expected one of",
    ),
    "unknown signal": ('{"t":1,"event":"signal","name":"coffee"}\n', "'name': expected one of"),
    "signal without box": ('{"t":1,"event":"signal","name":"walked-away"}\n', "needs 'box'"),
    "unknown ruling": ('{"t":1,"event":"signal","name":"ruling","choice":"maybe"}\n', "'choice': expected one of"),
    "impossible box": ('{"t":1,"event":"decision","box":0,"action":"hit"}\n', "'box': expected a box number"),
    "impossible split hand": (
        '{"t":1,"event":"decision","box":1,"hand":9,"action":"hit"}\n',
        "'hand': expected a hand",
    ),
    "unknown action": ('{"t":1,"event":"decision","box":1,"action":"fold"}\n', "'action': expected one of"),
    "player of no text": ('{"t":1,"event":"decision","box":1,"action":"hit","player":[]}\n', "'player': expected text"),
    "not a number": ('{"t":NaN,"event":"clear"}\n', "NaN is no JSON number"),
    "too deep": ("[" * 60_000 + "\n", "not an event"),
    "too long a number": ('{"t":' + "9" * 5000 + ',"event":"clear"}\n', "not an event"),
    "no UTF-8": (b'{"t":1,"event":"\xff"}\n', "not UTF-8"),
    "a line of 5 MB": ('{"t":1,"event":"clear","x":"' + "x" * 5_000_000 + '"}\n', "longer than 65536 bytes"),
    "time running backwards": ('{"t":5,"event":"tick"}\n{"t":4,"event":"tick"}\n', "'t' runs backwards: 4 after 5"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_clear_line_and_what_came_before_is_kept(name: str) -> None:
    bad, expected = BAD[name]
    raw = bad.encode() if isinstance(bad, str) else bad
    done = run(BET.encode() + raw)
    assert done.returncode == 2
    assert done.stdout == '{"t":0.0,"verdict":"round-started","round":1}\n'
    assert len(done.stderr.splitlines()) == 1
    line = 3 if name == "time running backwards" else 2
    assert done.stderr.startswith(f"feltwatch: standard input:{line}: ")
    assert expected in done.stderr


@pytest.mark.parametrize(("text", "found"), [("", "nothing"), ("\n\n  \n", "blank lines")])
def test_an_empty_stream_is_bad_input(text: str, found: str) -> None:
    done = run(text)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"no events; expected one JSON object a line, found {found}" in done.stderr


USAGE = {
    "no book": (["judge"], "judge needs --book"),
    "unknown book": (["judge", "--book", "poker"], "unknown book 'poker': expected one of blackjack-rws-v4"),
    "too few decks": (["judge", "--book", "blackjack-rws-v5", "--decks", "2"], "played with 4 to 8 decks: found 2"),
    "live decks": (["judge", "--book", "live-blackjack", "--decks", "6"], "played with 8 decks: found 6"),
    "limits crossed": (["judge", "--book", "blackjack-rws-v5", "--min", "9", "--max", "5"], "minimum (9) is above"),
    "unknown setting": (["judge", "--book", "si-ki-pi-v3", "--set", "two_pair=keep"], "did you mean 'two_pairs'"),
    "far setting": (["judge", "--book", "si-ki-pi-v3", "--set", "zzz=keep"], "unknown setting 'zzz'"),
    "unknown value": (
        ["judge", "--book", "si-ki-pi-v3", "--set", "two_pairs=maybe"],
        "expected keep or named or literal",
    ),
    "no number": (["judge", "--book", "si-ki-pi-v3", "--set", "burn=x"], "expected a number, found 'x'"),
    "no chip": (["judge", "--book", "si-ki-pi-v3", "--set", "smallest_chip=0"], "expected a number, found '0'"),
    "no value": (["judge", "--book", "si-ki-pi-v3", "--set", "burn"], "expected NAME=VALUE"),
    "no file": (["judge", "--book", "si-ki-pi-v3", "nowhere.jsonl"], "nowhere.jsonl: cannot be read"),
    "a folder": (["judge", "--book", "si-ki-pi-v3", "tests"], "tests: cannot be read"),
    "amount": (["judge", "--book", "si-ki-pi-v3", "--min", "x"], "expected an amount"),
    "infinite amount": (["judge", "--book", "si-ki-pi-v3", "--min", "Infinity"], "expected an amount"),
    "books": (["books", "poker"], "unknown book 'poker'"),
    "clause": (["books", "blackjack-rws-v5", "3.233"], "has no clause '3.233'; near it are"),
    "far clause": (["books", "blackjack-rws-v5", "zzz"], "has no clause 'zzz'"),
}


@pytest.mark.parametrize("name", USAGE)
def test_wrong_usage_is_one_clear_line(name: str) -> None:
    arguments, expected = USAGE[name]
    done = run("", command=[sys.executable, "-m", "feltwatch.edge.cli.main", *arguments])
    assert done.returncode == 2
    assert expected in done.stderr
    assert "Traceback" not in done.stderr


def test_bad_transcripts_are_refused_by_line(tmp_path: Path) -> None:
    for text, expected in (
        ("9h to box 1\n", 'line 1: expected round "title"'),
        ('round "x"\nbook v5\n9h to the moon\n', "unknown zone"),
        ('round "x"\nbook v5\nsing\n', "line 3: expected an event"),
        ('round "x"\nbook v5\ncites poker 3.11\n', "line 3: unknown word 'poker'"),
        ('round "x"\nlimits ten 20\n', "line 2: "),
        ('round "x"\nbook poker\nplace bets\n', "unknown book 'poker'"),
        ("", "no rounds"),
    ):
        path = tmp_path / "bad.round"
        path.write_text(text)
        done = run("", command=[sys.executable, "-m", "feltwatch.edge.cli.main", "judge", str(path)])
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done.stderr
        assert expected in done.stderr


def test_a_transcript_without_a_book_needs_one(tmp_path: Path) -> None:
    path = tmp_path / "x.round"
    path.write_text('round "x"\nplace bets\n')
    done = run("", command=[sys.executable, "-m", "feltwatch.edge.cli.main", "judge", str(path)])
    assert (done.returncode, done.stderr) == (2, f"feltwatch: {path}:1: the round names no book; give --book BOOK\n")
    assert run("", str(path)).stdout == '{"t":0.0,"verdict":"round-started","round":1}\n'


def test_a_verdict_leaves_as_soon_as_its_event_has_come() -> None:
    with subprocess.Popen(JUDGE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as judge:
        assert judge.stdin is not None
        assert judge.stdout is not None
        judge.stdin.write(BET.encode())
        judge.stdin.flush()
        assert json.loads(judge.stdout.readline())["verdict"] == "round-started"
        judge.stdin.write(b'{"t":1,"event":"card","id":"c1","zone":"box2.cards","card":"9h"}\n')
        judge.stdin.flush()
        assert json.loads(judge.stdout.readline())["code"] == "card-to-box-without-bet"
        judge.stdin.close()
        assert judge.wait(10) == 0


def test_a_reader_that_goes_away_is_no_fault() -> None:
    with subprocess.Popen(
        JUDGE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
    ) as judge:
        assert judge.stdin is not None
        assert judge.stdout is not None
        assert judge.stderr is not None
        judge.stdout.close()
        judge.stdin.write(BET.encode())
        judge.stdin.close()
        assert judge.stderr.read() == b""
        assert judge.wait(10) == 0


def test_amounts_stay_exact() -> None:
    text = BET.replace("100", "0.1") + "".join(
        f'{{"t":{n},"event":"card","id":"c{n}","zone":"{zone}","card":"{card}"}}\n'
        for n, (zone, card) in enumerate(
            [("box1.cards", "As"), ("dealer.cards", "6h"), ("box1.cards", "Kd")],
            1,
        )
    )
    done = run(text)
    line = json.loads(done.stdout.splitlines()[-1])
    assert (line["result"], line["stake"], line["net"], line["returned"]) == ("blackjack", 0.1, 0.15, 0.25)


def test_a_file_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + BET.encode())
    assert run("", str(path)).returncode == 0


SPLITS = """round "a forbidden split, and nothing after it"
book v5
bets 1:100
deal 1 9c 8d, dealer 7h
box 1 splits
"""


def alerts(done: subprocess.CompletedProcess[str]) -> list[str]:
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return [one["code"] for one in found if one["verdict"] == "alert"]


def test_a_forbidden_decision_at_the_very_end_raises_its_alert(tmp_path: Path) -> None:
    file = tmp_path / "last.round"
    file.write_text(SPLITS)
    assert alerts(run("", str(file))) == ["split-not-identical-value"]
    scenario = parse(SPLITS)[0]
    events = [json.dumps(event, default=float) for step in scenario.steps for event in step.events]
    assert alerts(run("\n".join(events))) == ["split-not-identical-value"]
    found = feltwatch.judge(map(json.loads, events), "blackjack-rws-v5")
    assert [one.code for one in found if isinstance(one, feltwatch.Alert)] == ["split-not-identical-value"]
