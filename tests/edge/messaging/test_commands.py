"""The door for commands: what makes sense is taken once, all else is refused in a sentence, and nothing raises."""

import json
from contextlib import closing
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feltwatch.edge.config.table_file import read_table
from feltwatch.edge.journal.store import Entry, Journal
from feltwatch.edge.messaging import encode as messages
from feltwatch.edge.messaging import schema
from feltwatch.edge.messaging.commands import (
    BURST,
    MANY_ANSWERS,
    MOST_BYTES,
    REMEMBERED,
    TOO_MANY,
    Door,
    Refused,
    Taken,
)
from feltwatch.edge.messaging.schema import written
from feltwatch.edge.service.recovery import open_door
from feltwatch.engine.books import BOOKS
from feltwatch.engine.model.events import SIGNALS, Decision, Signal, decode, encode
from feltwatch.engine.model.verdicts import Remark
from feltwatch.engine.transcript.parse import Scenario
from tests.asyncapi_check import validate
from tests.example_messages import ADDRESS, BOXES, JOURNAL, Came, Told, at
from tests.film_frames import TABLE
from tests.test_rounds import CASES

TOPIC = ADDRESS.topic("cmd/signal")
DESK = f"{TOPIC}/desk"
PLACE_BETS = '{"event":"signal","name":"place-bets"}'
DEALT = (
    '{"t":0,"event":"chips","spot":"box1.main","amount":100,"by":"player"}',
    '{"t":1,"event":"card","id":"c1","zone":"box1.cards","card":"9h"}',
    '{"t":2,"event":"card","id":"c2","zone":"dealer.cards","card":"7s"}',
    '{"t":3,"event":"card","id":"c3","zone":"box1.cards","card":"5c"}',
)
SKIPPED = '{"t":2,"event":"card","id":"c9","zone":"box3.cards","card":"Kh"}'  # box 1 has no card yet, nor box 3 a bet
HOSTILE = {"\u2028", "é", "🂡"}


def door() -> Door:
    return Door(ADDRESS, BOXES)


def table(*events: str, book: str = "blackjack-rws-v5") -> Told:
    told = Told(BOOKS[book])
    for event in events:
        told.event(event)
    return told


def say(told: Told, text: str | bytes, by: Door | None = None, topic: str = DESK) -> Taken | Refused | None:
    payload = text.encode() if isinstance(text, str) else text
    answer = (by or door()).take(Came(topic, payload), told.table, 9.5, 100.0)
    if answer is not None:  # every answer can be published as it is described
        made = messages.message(ADDRESS, JOURNAL, Entry(1, at(9), "command", written(answer.body), b""))
        found = validate(made.topic, made.payload)["command"]
        assert found["taken"] == isinstance(answer, Taken) == (found["why"] == "") == (found["event"] is not None)
    return answer


def why(told: Told, text: str | bytes, by: Door | None = None, topic: str = DESK) -> str:
    answer = say(told, text, by, topic)
    assert isinstance(answer, Refused), answer
    return answer.body.why


# ---- taken ----------------------------------------------------------------------------------------------------------


def test_a_signal_is_taken_with_the_tables_time_and_its_sender() -> None:
    told = table(*DEALT)
    text = '{"t":-7,"event":"signal","name":"walked-away","box":1,"command":"a-1","colour":"red"}'
    answer = say(told, text)
    assert isinstance(answer, Taken)
    assert answer.event == Signal(9.5, "walked-away", box=1)
    assert encode(answer.event) == '{"t":9.5,"event":"signal","name":"walked-away","box":1}'
    assert decode(encode(answer.event).encode()) == answer.event
    assert (answer.body.sender, answer.body.proven, answer.body.command, answer.body.times) == ("desk", True, "a-1", 1)
    assert answer.body.topic == DESK
    assert bytes(answer.body.event).decode() == encode(answer.event)
    told.event(encode(answer.event))


def test_a_decision_is_taken_and_its_amount_is_exact() -> None:
    amount = "123456789012.123450"
    text = f'{{"event":"decision","box":1,"action":"double","amount":{amount},"player":"standing1","sender":"pit"}}'
    answer = say(table(*DEALT), text, topic=TOPIC)
    assert isinstance(answer, Taken)
    assert answer.event == Decision(9.5, 1, 1, "double", Decimal("123456789012.12345"), "standing1")
    assert '"amount":123456789012.12345,' in encode(answer.event)
    assert (answer.body.sender, answer.body.proven) == ("pit", False)


@pytest.mark.parametrize(
    ("amount", "written_as"), [("1e2", "100"), ("0E-99", "0"), ("-0.0", "0"), ("62.50", "62.5"), ("1e-6", "0.000001")]
)
def test_amounts_are_written_plainly(amount: str, written_as: str) -> None:
    answer = say(table(*DEALT), f'{{"event":"decision","box":1,"action":"double","amount":{amount}}}')
    assert isinstance(answer, Taken)
    assert json.loads(encode(answer.event), parse_float=Decimal, parse_int=Decimal)["amount"] == Decimal(written_as)
    assert len(encode(answer.event)) < 90


def test_who_says_nothing_of_himself_is_nobody() -> None:
    answer = say(table(), PLACE_BETS, topic=TOPIC)
    assert isinstance(answer, Taken)
    assert (answer.body.sender, answer.body.proven, answer.body.command) == (None, False, None)


@pytest.mark.parametrize("name", sorted({"place-bets", "no-more-bets", "shuffled"}))
def test_announcements_are_heard_between_two_rounds(name: str) -> None:
    assert isinstance(say(table(), f'{{"event":"signal","name":"{name}"}}'), Taken)


# ---- refused: no command --------------------------------------------------------------------------------------------

NO_COMMAND = {
    "nothing": (b"", "not JSON"),
    "no JSON": (b"stand", "not JSON"),
    "no UTF-8": (b'{"event":"\xff"}', "not UTF-8"),
    "a list": (b"[]", "expected a JSON object with"),
    "a number": (b"1", "expected a JSON object with"),
    "another event": (b'{"event":"clear"}', "expected a JSON object with"),
    "an event of a camera": (b'{"event":"card","id":"c","zone":"box1.cards"}', "expected a JSON object with"),
    "an event of no text": (b'{"event":["signal"]}', "expected a JSON object with"),
    "not a number": (b'{"event":"signal","name":"place-bets","t":NaN}', "NaN is no JSON number"),
    "too deep": (b'{"a":' * 600 + b"1" + b"}" * 600, "expected a JSON object with"),
    "unknown signal": (b'{"event":"signal","name":"coffee"}', "'name': expected one of"),
    "no box": (b'{"event":"signal","name":"walked-away"}', "needs 'box'"),
    "no choice": (b'{"event":"signal","name":"ruling"}', "'choice': expected one of"),
    "an action that is none": (b'{"event":"decision","box":1,"action":"fold"}', "'action': expected one of"),
    "an amount below nought": (b'{"event":"decision","box":1,"action":"double","amount":-1}', "expected an amount"),
    "a number with many digits": (b'{"event":"signal","name":"shuffled","count":' + b"9" * 3900 + b"}", "at most 1000"),
    "too many cards": (b'{"event":"signal","name":"shuffled","count":1001}', "count: expected at most 1000 cards"),
    "a letter that is none": (
        b'{"event":"signal","name":"ruling","choice":"void","alert":"\\ud800"}',
        "expected texts",
    ),
    "a line feed": (b'{"event":"signal","name":"ruling","choice":"void","alert":"a\\nb"}', "expected texts"),
    "a long text": (
        b'{"event":"signal","name":"seated","box":1,"player":"' + b"x" * 129 + b'"}',
        "expected texts of at most 128",
    ),
    "an id too long": (b'{"event":"signal","name":"place-bets","command":"' + b"x" * 65 + b'"}', "command: expected"),
    "an id of no text": (b'{"event":"signal","name":"place-bets","command":7}', "command: expected"),
    "an empty id": (b'{"event":"signal","name":"place-bets","command":""}', "command: expected"),
    "an id with a line feed": (b'{"event":"signal","name":"place-bets","command":"a\\n"}', "command: expected"),
    "a sender that is none": (
        b'{"event":"signal","name":"place-bets","sender":"../../etc"}',
        "sender: expected letters",
    ),
    "another sender": (b'{"event":"signal","name":"place-bets","sender":"boss"}', "sender: expected none, or the one"),
    "too long": (b" " * (MOST_BYTES + 1), "4097 bytes: expected at most 4096"),
    "10 MB": (b"\xff" * 10_000_000, "10000000 bytes: expected at most 4096"),
}


@pytest.mark.parametrize("name", NO_COMMAND)
def test_what_is_no_command_is_refused_in_a_sentence(name: str) -> None:
    payload, expected = NO_COMMAND[name]
    said = why(table(*DEALT), payload)
    assert expected in said
    assert "\n" not in said
    assert len(said) <= 300


@pytest.mark.parametrize(
    "last",
    [
        "cmd",
        "cmd/",
        "cmd/signals",
        "cmd/signal/",
        "cmd/signal/a/b",
        "cmd/signal/desk/",
        "cmd/signal/..",
        "cmd/signal/+",
        "cmd/signal/#",
        "cmd/signal/é",
        "cmd/signal/a b",
        "cmd/signal/a\n",
        "cmd/signal/" + "x" * 65,
        "cmd/signal/" + "x" * 60_000,
        "CMD/signal",
        "event",
    ],
)
def test_what_comes_elsewhere_is_refused(last: str) -> None:
    answer = say(table(), PLACE_BETS, topic=ADDRESS.topic(last))
    assert isinstance(answer, Refused)
    assert "expected the topic cmd/signal" in answer.body.why
    assert answer.body.sender is None
    assert len(answer.body.topic) <= 128


def test_the_topic_of_another_table_is_refused() -> None:
    assert "expected the topic" in why(table(), PLACE_BETS, topic="feltwatch/main-floor/bj-08/cmd/signal")


@pytest.mark.parametrize("sender", ["desk", "pit.boss@casino-1", "7", "x" * 64])
def test_a_sender_is_whom_the_topic_names(sender: str) -> None:
    answer = say(table(), PLACE_BETS, topic=f"{TOPIC}/{sender}")
    assert isinstance(answer, Taken)
    assert (answer.body.sender, answer.body.proven) == (sender, True)


def test_without_an_access_list_no_sender_is_proven() -> None:
    open_to_all = Door(ADDRESS, BOXES, has_access_list=False)
    answer = open_to_all.take(Came(DESK, PLACE_BETS.encode()), table().table, 1.0, 1.0)
    assert isinstance(answer, Taken)
    assert (answer.body.sender, answer.body.proven) == ("desk", False)
    other = Came(DESK, PLACE_BETS.replace("}", ',"sender":"pit"}').encode())
    refused = open_to_all.take(other, table().table, 1.0, 1.0)
    assert isinstance(refused, Refused)
    assert "the one that the topic names" in refused.body.why


@pytest.mark.parametrize(("mqtt", "proven"), [("", False), ('[mqtt]\nurl = "mqtt://broker"\n', True)])
def test_the_built_in_broker_has_no_access_list(mqtt: str, proven: bool, tmp_path: Path) -> None:  # noqa: FBT001  a parameter of the table
    file = tmp_path / "table.toml"
    file.write_text(f"{TABLE.read_text('utf-8')}\n{mqtt}", "utf-8")
    with closing(Journal(tmp_path / "journal", "bj-07")) as journal:
        answer = open_door(ADDRESS, read_table(file), journal).take(
            Came(DESK, PLACE_BETS.encode()), table().table, 1.0, 1.0
        )
    assert isinstance(answer, Taken)
    assert answer.body.proven is proven


def test_what_was_retained_is_refused() -> None:
    answer = door().take(Came(DESK, PLACE_BETS.encode(), retained=True), table().table, 1.0, 1.0)
    assert isinstance(answer, Refused)
    assert "a retained message" in answer.body.why


# ---- refused: no sense now ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(SIGNALS - {"place-bets", "no-more-bets", "shuffled"}))
def test_what_counts_in_a_round_is_refused_between_two(name: str) -> None:
    """The engine passes it over, so no one shall believe that it was heard."""
    told = table()
    text = f'{{"event":"signal","name":"{name}","box":1,"choice":"void"}}'
    assert "no round is on" in why(told, text) or "knows no" in why(told, text)
    assert [type(one) for one in told.event(f'{{"t":1,{text[1:]}')] == ([Remark] if name == "ruling" else [])
    assert told.table.life is None


def stands(box: int = 1, hand: int = 1, action: str = "stand") -> str:
    return f'{{"event":"decision","box":{box},"hand":{hand},"action":"{action}"}}'


def rules(choice: str = "continue", more: str = "") -> str:
    return f'{{"event":"signal","name":"ruling","choice":"{choice}"{more}}}'


NO_SENSE = {
    "a decision between two rounds": ((), stands(), "no round is on: stand is decided while cards lie"),
    "a box without cards": (DEALT, stands(2), "no card lies on box 2"),
    "a hand that is none": (DEALT, stands(1, 2), "no card lies on box 1 hand 2"),
    "a box that is not there": (DEALT, stands(9), "box 9 is not on this layout, which has boxes 1 to 7"),
    "a seat that is not there": (
        DEALT,
        '{"event":"signal","name":"cards-touched","box":1,"seat":9}',
        "Blackjack, Version 5 knows no cards-touched",
    ),
    "a round that is void": (
        (*DEALT, '{"t":4,"event":"signal","name":"not-shuffled"}'),
        stands(),
        "round 1 is void: nothing is decided in it",
    ),
    "a bet that was paid": (
        (
            *DEALT,
            '{"t":4,"event":"card","id":"c4","zone":"dealer.cards","card":"Ts"}',
            '{"t":5,"event":"chips","spot":"box1.main","amount":0,"by":"dealer"}',
        ),
        stands(action="split"),
        "the bet of box 1 hand 1 was settled",
    ),
    "another game's signal": (DEALT, '{"event":"signal","name":"house-way-requested","box":1}', "knows no house-way"),
    "a ruling on nothing": (DEALT, rules(), "no alert stands in round 1: there is nothing to rule upon"),
    "a ruling on what is not there": (
        (DEALT[0], SKIPPED),
        rules(more=',"alert":"r1-x"'),
        "no alert r1-x stands in round 1; there stands r1-",
    ),
    "a ruling on a code that is not there": (
        (DEALT[0], SKIPPED),
        rules(more=',"code":"late-bet"'),
        "no late-bet stands in this round; there stands r1-",
    ),
    "a bet that goes back on nobody": (DEALT, rules("return-bet"), "return-bet: expected the box whose bet goes back"),
    "a bet that goes back where none lies": (DEALT, rules("return-bet", ',"box":4'), "no bet lies on box 4"),
}


@pytest.mark.parametrize("name", NO_SENSE)
def test_what_makes_no_sense_now_is_refused(name: str) -> None:
    events, text, expected = NO_SENSE[name]
    assert expected in why(table(*events), text)


def _alert(told: Told) -> str:
    assert told.table.life is not None
    return next(iter(told.table.life.round.alerts))


def test_a_ruling_is_about_an_alert_that_stands() -> None:
    told = table(DEALT[0], SKIPPED)
    name = _alert(told)
    code = told.table.life.round.alerts[name].code if told.table.life else ""
    for more in (f',"alert":"{name}"', f',"code":"{code}"', f',"alert":"{name}","code":"{code}"', ""):
        assert isinstance(say(told, rules(more=more)), Taken)
    assert f"alert {name} is no late-bet" in why(told, rules(more=f',"alert":"{name}","code":"late-bet"'))


def test_a_dismissed_alert_cannot_be_ruled_upon_again() -> None:
    told = table(DEALT[0], SKIPPED)
    name = _alert(told)
    answer = say(told, rules("dismiss", f',"alert":"{name}"'))
    assert isinstance(answer, Taken)
    told.event(encode(answer.event))
    assert f"alert {name} was dismissed" in why(told, rules("uphold", f',"alert":"{name}"'))


def test_a_ruling_on_the_round_before_is_kept_as_a_remark_and_voids_nothing() -> None:
    told = table(DEALT[0], SKIPPED)
    name = _alert(told)
    told.event('{"t":3,"event":"signal","name":"place-bets"}')
    told.event('{"t":4,"event":"chips","spot":"box1.main","amount":100,"by":"player"}')
    answer = say(told, rules("void", f',"alert":"{name}"'))
    assert isinstance(answer, Taken)
    (remark,) = told.event(encode(answer.event))
    assert isinstance(remark, Remark)
    assert remark.says == f"round 1 is over: the ruling on {name} was due before it ended"
    assert isinstance(say(told, rules("void")), Taken)


def test_a_supervisor_may_void_a_round_and_give_a_bet_back_without_an_alert() -> None:
    for text in (rules("void"), rules("return-bet", ',"box":1')):
        assert isinstance(say(table(*DEALT), text), Taken)


def test_si_ki_pi_knows_no_decisions() -> None:
    assert "Si Ki Pi, Version 3 (2021) knows no decisions" in why(table(*DEALT, book="si-ki-pi-v3"), stands())


def test_a_decision_that_the_book_forbids_is_taken_for_the_engine_to_judge() -> None:
    answer = say(table(*DEALT, book="live-blackjack"), stands(action="even-money"))
    assert isinstance(answer, Taken)
    assert isinstance(answer.event, Decision)
    assert answer.event.action == "even-money"


def test_players_look_at_cards_that_lie_there() -> None:
    told = table(*DEALT, book="si-ki-pi-v3")
    looks = '{"event":"signal","name":"players-viewed","box":%d}'
    assert isinstance(say(told, looks % 1), Taken)
    assert "no card lies on box 2" in why(told, looks % 2)


NONSENSE = {  # golden rounds in which something senseless is reported on purpose, to see that nothing comes of it
    "technical-interruption between two rounds interrupts nothing",
    "a Player who looks before he has a card has seen none",
    "signals that say nothing of a box say nothing",
    "foreign-card: a Joker",
    "a ruling after its round is over",
    "a ruling on an alert of the round before does not touch the round that is on",
    "a ruling names an alert that was dismissed, and one that never was",
    "even-money-not-allowed: reported in the live game, which has none",
}


@pytest.mark.parametrize("file", sorted({name.partition(":")[0] for name, _, _ in CASES}))
def test_what_golden_rounds_tell_is_taken(file: str) -> None:
    """The door is not stricter than the books: every signal and decision of a round goes through it, unchanged."""
    for name, scenario, book in CASES:
        if name.partition(":")[0] == file:
            _goes_through(scenario, book)


def _goes_through(scenario: Scenario, book: str) -> None:
    low, high = scenario.limits or (None, None)
    told = Told(BOOKS[book].at_table(decks=scenario.decks, minimum=low, maximum=high, settings=scenario.settings))
    found = Door(ADDRESS, range(1, 10))
    for n, event in enumerate(scenario.events()):
        raw = json.dumps(event, default=float).encode()
        if event["event"] in ("signal", "decision"):
            answer = found.take(Came(DESK, raw), told.table, float(str(event["t"])), 10.0 * n)
            if scenario.title not in NONSENSE:
                assert isinstance(answer, Taken), (scenario.title, book, answer)
                assert answer.event == decode(raw)
        told.table.apply(decode(raw))


# ---- once -----------------------------------------------------------------------------------------------------------


def test_a_command_that_comes_again_is_answered_once_and_taken_never() -> None:
    told, one = table(*DEALT), door()
    text = '{"event":"signal","name":"walked-away","box":1,"command":"a-1"}'
    answers = [one.take(Came(DESK, text.encode()), told.table, 9.0, float(n)) for n in range(4)]
    assert isinstance(answers[0], Taken)
    assert isinstance(answers[1], Refused)
    assert "was taken before" in answers[1].body.why
    assert answers[1].body.command == "a-1"
    assert answers[2:] == [None, None]


def test_ids_are_each_senders_own() -> None:
    told, one = table(), door()
    text = PLACE_BETS[:-1] + ',"command":"a-1"}'
    named = text[:-1] + ',"sender":"desk"}'
    for topic, said in ((DESK, text), (f"{TOPIC}/boss", text), (TOPIC, text), (TOPIC, named)):
        assert isinstance(one.take(Came(topic, said.encode()), told.table, 1.0, 1.0), Taken)


def test_a_command_that_was_refused_may_come_again() -> None:
    told, one = table(), door()
    text = '{"event":"signal","name":"walked-away","box":1,"command":"a-1"}'
    assert "no round" in why(told, text, one)
    for event in DEALT:
        told.event(event)
    assert isinstance(say(told, text, one), Taken)


def test_what_was_taken_is_recalled_from_the_journal() -> None:
    told, one, later = table(*DEALT), door(), door()
    text = '{"event":"signal","name":"walked-away","box":1,"command":"a-1"}'
    answer = say(told, text, one)
    refused = say(told, '{"event":"signal","name":"walked-away","box":9,"command":"a-2"}', one)
    assert answer is not None
    assert refused is not None
    for body in (answer.body, refused.body):
        later.recall(written(body))
    assert "was taken before" in why(told, text, later)
    assert isinstance(say(told, text.replace("a-1", "a-2"), later), Taken)


def test_only_so_many_ids_are_remembered() -> None:
    told, one = table(), door()
    for n in range(REMEMBERED + 1):
        assert isinstance(
            one.take(Came(DESK, f'{PLACE_BETS[:-1]},"command":"{n}"}}'.encode()), told.table, 1.0, float(n)), Taken
        )
    first, last = (f'{PLACE_BETS[:-1]},"command":"{n}"}}'.encode() for n in (0, REMEMBERED))
    assert isinstance(one.take(Came(DESK, last), told.table, 1.0, 5000.0), Refused)
    assert isinstance(one.take(Came(DESK, first), told.table, 1.0, 5001.0), Taken)


# ---- too much -------------------------------------------------------------------------------------------------------


def test_ten_thousand_a_second_are_looked_at_ten_times_and_told_of_once() -> None:
    told, one = table(), door()
    answers = []
    for n in range(50_000):
        now = 100.0 + n / 10_000
        answers += [one.take(Came(DESK, PLACE_BETS.encode()), told.table, 9.0, now), one.due(now)]
    answers.append(one.due(106.0))
    taken = [one for one in answers if isinstance(one, Taken)]
    refused = [one for one in answers if isinstance(one, Refused)]
    assert len(taken) == BURST + 49  # and ten a second, the last of them not yet due
    assert len(refused) == 6
    assert {one.body.why for one in refused} == {TOO_MANY}
    assert len(taken) + sum(one.body.times for one in refused) == 50_000
    assert {(one.body.sender, one.body.topic) for one in refused} == {("desk", DESK)}
    assert one.due(107.0) is None


def test_garbage_without_end_is_told_of_about_once_a_second() -> None:
    """A client gone mad at less than the rate: no one reads a line for each, and no disk fills with them."""
    told, one = table(), door()
    answers = [one.take(Came(DESK, b"stand"), told.table, 9.0, n / 8) for n in range(8 * 600)]
    refused = [one for one in answers if one is not None]
    assert MANY_ANSWERS + 600 <= len(refused) <= MANY_ANSWERS + 2 * 600 + 2
    last = one.due(700.0)
    assert last is not None
    assert sum(answer.body.times for answer in (*refused, last)) == 8 * 600


def test_what_was_never_read_is_counted_with_the_others() -> None:
    one = door()
    one.unread(3)
    answer = one.due(100.0)
    assert answer is not None
    assert (answer.body.sender, answer.body.topic, answer.body.times, answer.body.why) == (None, TOPIC, 3, TOO_MANY)
    for _ in range(25):
        one.refuse(Came(DESK, b"x"), "not now", 100.5)
    one.unread(1000)
    answer = one.due(101.5)
    assert answer is not None
    assert (answer.body.sender, answer.body.times) == (None, 1005)


def test_what_is_refused_for_what_it_is_not_is_told_why() -> None:
    answer = door().refuse(Came(DESK, PLACE_BETS.encode()), "not now", 100.0)
    assert answer is not None
    assert (answer.body.sender, answer.body.taken, answer.body.why) == ("desk", False, "not now")


def test_a_flood_of_several_is_nobodys() -> None:
    told, one = table(), door()
    for n in range(30):
        one.take(Came(f"{TOPIC}/sender-{n}", b"x"), told.table, 9.0, 100.0)
    answer = one.due(102.0)
    assert answer is not None
    assert (answer.body.sender, answer.body.proven, answer.body.topic) == (None, False, TOPIC)
    assert answer.body.times == 30 - BURST - 1  # one was answered at once


def test_after_a_flood_it_hears_again() -> None:
    told, one = table(), door()
    for _ in range(1000):
        one.take(Came(DESK, b"x" * 5000), told.table, 9.0, 100.0)
    assert isinstance(one.take(Came(DESK, PLACE_BETS.encode()), told.table, 9.0, 100.2), Taken)


def test_a_clock_that_stands_or_goes_back_gives_nothing_away() -> None:
    told, one = table(), door()
    taken = [one.take(Came(DESK, PLACE_BETS.encode()), told.table, 9.0, 100.0 - n) for n in range(100)]
    assert sum(isinstance(answer, Taken) for answer in taken) == BURST


# ---- anything at all ------------------------------------------------------------------------------------------------

KEYS = ("event", "name", "box", "hand", "action", "choice", "alert", "code", "count", "id", "player", "seat", "amount")
MORE_KEYS = (*KEYS, "sender", "command", "t", "x")
VALUES = ["signal", "decision", "ruling", "desk", "dismiss", "box-skipped", "stand", *sorted(SIGNALS), *sorted(HOSTILE)]
SCALARS = (
    st.sampled_from(VALUES)
    | st.text(max_size=20)
    | st.integers(min_value=-(10**20), max_value=10**20)
    | st.integers(min_value=-1, max_value=10)
    | st.floats()
    | st.booleans()
    | st.none()
)
ANY = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3))
COMMANDS = st.dictionaries(st.sampled_from(MORE_KEYS), ANY, max_size=8)
LIKELY = st.fixed_dictionaries(
    {"event": st.sampled_from(["signal", "decision"])},
    optional={
        "name": st.sampled_from(sorted(SIGNALS)),
        "box": st.integers(1, 9),
        "hand": st.integers(1, 4),
        "action": st.sampled_from(["hit", "stand", "double", "split", "surrender", "even-money", "insurance"]),
        "choice": st.sampled_from(["continue", "return-bet", "void", "uphold", "dismiss"]),
        **dict.fromkeys(("alert", "code", "id", "player", "sender", "command", "amount", "count"), SCALARS),
    },
)


@given(payload=st.binary(max_size=200), topic=st.text(max_size=40))
@settings(max_examples=200, deadline=None)
def test_any_bytes_are_refused_and_nothing_raises(payload: bytes, topic: str) -> None:
    told = table(DEALT[0], SKIPPED)
    assert not isinstance(say(told, payload, topic=topic), Taken)
    assert not isinstance(say(told, payload), Taken)


@given(command=COMMANDS | LIKELY, rounds=st.integers(0, 2))
@settings(max_examples=400, deadline=None)
def test_any_command_is_answered_and_what_is_taken_can_be_lived_through(command: object, rounds: int) -> None:
    told = table(*((), DEALT, (DEALT[0], SKIPPED))[rounds])
    answer = say(told, json.dumps(command))
    if isinstance(answer, Taken):
        assert decode(encode(answer.event).encode()) == answer.event
        told.event(encode(answer.event))
        validate(told.messages[-1].topic, told.messages[-1].payload)


def test_bodies_of_answers_are_read_again_as_they_were() -> None:
    answer = say(table(*DEALT), '{"event":"signal","name":"walked-away","box":1}')
    assert isinstance(answer, Taken)
    assert isinstance(answer.body, schema.Command)
    assert json.loads(written(answer.body))["event"] == json.loads(encode(answer.event))
