"""Messages: what a table tells is the same bytes whenever it is sent, and every round is reported whole."""

import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import msgspec
import pytest

from feltwatch.edge.journal.store import Entry, Fact, Journal
from feltwatch.edge.messaging import encode as messages
from feltwatch.edge.messaging import schema
from feltwatch.edge.messaging.encode import KINDS, Address, Stamp
from feltwatch.edge.service.state_report import RECENT, RecentRounds, counted, state
from feltwatch.engine.books import BOOKS
from feltwatch.engine.model.verdicts import (
    Alert,
    Ended,
    Offered,
    Remedied,
    Remedy,
    Settlement,
    Started,
    Verdict,
    decode,
    encode,
)
from feltwatch.engine.round.base import Round
from feltwatch.engine.table import Table
from feltwatch.engine.transcript.parse import Scenario, parse
from tests.asyncapi_check import validate
from tests.example_messages import ADDRESS, BOOK, HEALTH, JOURNAL, Told, shown, status, told_round
from tests.test_rounds import CASES

EVENT = '{"t":10.2,"event":"card","id":"c1","zone":"box3.cards","card":"9h"}'
AT = "2026-01-02T03:04:05.678Z"
STAMP = Stamp(JOURNAL, 17, AT, 3)


def entry(kind: str, body: str, seq: int = 17) -> Entry:
    return Entry(seq, AT, kind, body, b"")


# ---- the envelope ---------------------------------------------------------------------------------------------------


def test_a_message_is_its_entry_in_an_envelope() -> None:
    made = messages.message(ADDRESS, JOURNAL, entry("event", EVENT))
    assert made.payload.decode() == (
        '{"schema":"event/1","id":"3f2a9c0d1e4b-17","table":"bj-07","seq":17,"at":"2026-01-02T03:04:05.678Z",'
        f'"event":{EVENT}}}'
    )
    assert (made.topic, made.qos, made.retain, made.id) == (
        "feltwatch/main-floor/bj-07/event",
        1,
        False,
        "3f2a9c0d1e4b-17",
    )


def test_a_body_is_copied_letter_by_letter() -> None:
    body = '{"t":1.50, "stake":100000000000000.100000, "é":"\\u00e9 ▒"}'
    assert body.encode() in messages.message(ADDRESS, JOURNAL, entry("verdict", body)).payload


def test_a_journal_that_is_opened_again_gives_the_same_bytes(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "one.journal", "bj-07")
    written = journal.add(AT, [Fact("event", EVENT), Fact("note", schema.written(schema.Note(kind="disk", says="é")))])
    first = [messages.message(ADDRESS, journal.id, one) for one in written]
    journal.close()
    again = Journal(tmp_path / "one.journal", "bj-07")
    try:
        assert [messages.message(ADDRESS, again.id, one) for one in again.read(0, 10)] == first
    finally:
        again.close()


@pytest.mark.parametrize("kind", ["state", "status", "health", "gossip", "cmd/signal", ""])
def test_what_is_no_kind_of_entry_is_no_message(kind: str) -> None:
    with pytest.raises(ValueError, match="expected a kind of message that is journalled"):
        messages.message(ADDRESS, JOURNAL, entry(kind, "{}"))


@pytest.mark.parametrize("name", ["", "a/b", "+", "#", "$SYS", "a b", "..", "bj-07\n", "x" * 65, "é", "a\0"])
def test_a_name_that_would_change_the_topic_is_no_address(name: str) -> None:
    for site, table in ((name, "bj-07"), ("main-floor", name)):
        with pytest.raises(ValueError, match="expected a name that can stand in a topic"):
            Address(site, table)


def test_commands_come_below_the_table() -> None:
    assert ADDRESS.commands == "feltwatch/main-floor/bj-07/cmd/#"


# ---- what is not journalled -----------------------------------------------------------------------------------------


def test_a_birth_and_a_will_say_who_and_whether() -> None:
    told = Told()
    birth = messages.status(ADDRESS, STAMP, status(told, "a2V5"))
    will = messages.will(ADDRESS, Stamp(JOURNAL, 17, AT, 2), status(told, "a2V5"))
    found = [validate(one.topic, one.payload) for one in (birth, will)]
    assert [one["status"] for one in found] == ["online", "offline"]
    assert [one["why"] for one in found] == ["", "the connection was lost"]
    assert [one["id"] for one in found] == ["3f2a9c0d1e4b-17-status-3", "3f2a9c0d1e4b-17-status-2"]
    assert all((one.qos, one.retain, one.topic) == (1, True, ADDRESS.topic("status")) for one in (birth, will))
    assert found[0]["journal"] == JOURNAL


def test_health_is_current_and_nobody_waits_for_it() -> None:
    made = messages.health(ADDRESS, STAMP, HEALTH)
    assert (made.qos, made.retain, made.id) == (0, False, "3f2a9c0d1e4b-17-health-3")
    assert validate(made.topic, made.payload)["health"]["lag_s"] == {"p50": 0.031, "p99": 0.094}


def test_a_device_without_sensors_is_described_too() -> None:
    bare = msgspec.structs.replace(
        HEALTH, lag_s=None, inference_s=None, temperature_c=None, disk_free_bytes=None, cameras={}
    )
    made = messages.health(ADDRESS, STAMP, bare)
    validate(made.topic, made.payload)


# ---- rounds ---------------------------------------------------------------------------------------------------------


def test_the_messages_of_a_round_are_as_described_and_none_is_missing(tmp_path: Path) -> None:
    told = told_round(tmp_path)
    assert set(told) == set(KINDS)
    found = [(one, validate(one.topic, one.payload)) for several in told.values() for one in several]
    for made, payload in found:
        kind = KINDS[made.topic.rpartition("/")[2]]
        assert (made.qos, made.retain, made.id) == (kind.qos, kind.retain, payload["id"])
        assert json.dumps(payload, separators=(",", ":"), ensure_ascii=False) == made.payload.decode()
    seqs = [payload["seq"] for made, payload in found if KINDS[made.topic.rpartition("/")[2]].journalled]
    assert sorted(seqs) == [*range(1, len(seqs) + 1)]


def test_an_alert_says_where_its_evidence_will_lie() -> None:
    (alert,) = shown()["alert"]
    files = alert["alert"].pop("files")
    assert files == {"still": "evidence/r1-dealer-overdraw-c5.jpg", "clip": "evidence/r1-dealer-overdraw-c5.webm"}
    assert alert["alert"]["verdict"] == "alert"


def test_advice_has_no_files() -> None:
    told = Told()
    advice = '{"t":%d,"event":"card","id":"c%d","zone":"box1.cards","card":"9h","confidence":0.1}'
    told.event('{"t":0,"event":"chips","spot":"box1.main","amount":100}')
    told.event(advice % (1, 1))
    found = validate(told.last("alert").topic, told.last("alert").payload)["alert"]
    assert (found["severity"], found["files"]) == ("advise", None)


def test_a_round_is_told_whole_when_it_is_over() -> None:
    (told,) = shown()["round"]
    body = told["round"]
    assert (body["round"], body["result"], body["why"]) == (1, "completed", "every bet is settled")
    assert (body["began"], body["ended"], body["revises"], body["inferred"]) == (0.0, 33.0, False, False)
    faces = {zone: [card["card"] for card in cards] for zone, cards in body["hands"].items()}
    assert faces == {"dealer.cards": ["Ks", "7d"], "box1.cards": ["Th", "8c"]}  # the 4 that was too many is discarded
    assert [(line["bet"], line["net"]) for line in body["settlements"]] == [("main", 100)]
    assert [(one["code"], one["withdrawn"]) for one in body["alerts"]] == [("dealer-overdraw", None)]


def test_a_round_that_a_later_fact_changes_is_told_again() -> None:
    told = Told()
    for line in (
        '{"t":0,"event":"chips","spot":"box1.main","amount":100}',
        '{"t":1,"event":"card","id":"c1","zone":"box1.cards","card":"Th"}',
        '{"t":2,"event":"card","id":"c2","zone":"dealer.cards","card":"Ks"}',
        '{"t":3,"event":"card","id":"c3","zone":"box1.cards","card":"8c"}',
        '{"t":4,"event":"card","id":"c4","zone":"dealer.cards","card":"7d"}',
        '{"t":5,"event":"card","id":"c5","zone":"dealer.cards","card":"4s"}',
        '{"t":6,"event":"chips","spot":"box1.main","amount":200,"by":"dealer"}',
        '{"t":7,"event":"clear"}',
    ):
        told.event(line)
    first = validate(told.last("round").topic, told.last("round").payload)["round"]
    told.event('{"t":8,"event":"correct","id":"c4","card":"6d"}')  # so he had to draw, and has 20
    again = validate(told.last("round").topic, told.last("round").payload)["round"]
    assert (first["revises"], again["revises"]) == (False, True)
    assert [one["withdrawn"] for one in first["alerts"]] == [None]
    assert again["alerts"][0]["withdrawn"] == "a later fact shows otherwise"
    assert [line["result"] for line in again["settlements"]] == ["lose"]
    assert (first["ended"], again["ended"]) == (7.0, 7.0)
    assert [card["card"] for card in again["hands"]["dealer.cards"]] == ["Ks", "6d", "4s"]


def test_what_is_told_in_a_round_that_goes_on_tells_no_round() -> None:
    fold, table = RecentRounds(), Table(BOOK)
    assert fold.take([Started(0.0, 1)], table.rounds) == []
    assert fold.take([_line(1), OFFER], table.rounds) == []
    (told,) = fold.take([Ended(1.0, 1, "void", "x", inferred=True)], table.rounds)
    assert (told.result, told.inferred, told.hands) == ("void", True, None)
    assert fold.take([OFFER, Remedied(1.0, 1, "a", REMEDY)], table.rounds) == []


def test_a_round_of_which_only_the_end_was_heard_is_not_told() -> None:
    fold = RecentRounds()
    assert fold.take([_line(4), Ended(1.0, 4, "void", "")]) == []


def test_a_round_that_the_table_forgets_as_it_ends_is_told_with_its_cards() -> None:
    told = Told()
    told.event('{"t":0,"event":"chips","spot":"box1.main","amount":100}')
    told.event('{"t":1,"event":"card","id":"c1","zone":"box1.cards","card":"Th"}')
    told.event('{"t":60,"event":"gap","since":2,"lost":true,"why":"other cards lie there"}')
    assert (told.table.life, told.table.last) == (None, None)
    body = validate(told.last("round").topic, told.last("round").payload)["round"]
    assert (body["result"], [*body["hands"]]) == ("unresolved", ["box1.cards"])
    assert "nobody watched from 2.0 s to 60.0 s" in body["why"]


def test_a_number_that_comes_anew_is_another_round() -> None:
    fold = RecentRounds()
    ended = Ended(1.0, 1, "void", "")
    for _ in range(2):
        (told,) = fold.take([Started(0.0, 1), ALERT, ended])
        assert (len(told.alerts), told.revises) == (1, False)


def test_a_round_that_ends_otherwise_ended_when_it_did() -> None:
    fold = RecentRounds()
    fold.take([Started(0.0, 1)])
    fold.take([Ended(1.0, 1, "unresolved", "a card was never read")])
    later = Ended(9.0, 1, "completed", "every bet is settled")
    (told,) = fold.take([later])
    assert (told.result, told.why, told.ended, told.revises) == ("completed", "every bet is settled", 1.0, True)


def test_only_the_last_rounds_are_kept() -> None:
    fold = RecentRounds()
    for number in range(1, 50):
        fold.take([Started(0.0, number)])
    assert [*fold.stories] == [47, 48, 49]
    assert len(fold.stories) == RECENT


def test_amounts_are_told_to_the_last_digit() -> None:
    exact = Settlement(1.0, 1, 1, 1, "main", Decimal("123456789012.123456"), "win", "3", "1:1", Decimal("0.000001"))
    fold = RecentRounds()
    fold.take([Started(0.0, 1), exact])
    (told,) = fold.take([Ended(1.0, 1, "completed", "")])
    body = schema.written(told)
    assert encode(exact) in body
    assert '"123456789012.123456"' in body
    made = messages.message(ADDRESS, JOURNAL, entry("round", body))
    validate(made.topic, made.payload)


REMEDY = Remedy("continue", "1")
ALERT = Alert(1.0, 1, "b", "blackjack-rws-v5", "1", "stop", "a", None, None, "x", (), REMEDY)
OFFER = Offered(1.0, 1, 1, 1, ("stand",))


def _line(number: int) -> Settlement:
    return Settlement(1.0, number, 1, 1, "main", None, "win", "1")


# ---- the fold, over every golden round ------------------------------------------------------------------------------


def played(scenario: Scenario, book: str) -> Iterator[tuple[Told, list[Verdict]]]:
    """Play a golden round, and give the table after each event with what that brought."""
    low, high = scenario.limits or (None, None)
    told = Told(BOOKS[book].at_table(decks=scenario.decks, minimum=low, maximum=high, settings=scenario.settings))
    for event in scenario.events():
        yield told, told.event(json.dumps(event, default=float))


@pytest.mark.parametrize("file", sorted({name.partition(":")[0] for name, _, _ in CASES}))
def test_the_fold_knows_what_the_engine_knows(file: str) -> None:
    """After every event: the alerts that stand, the settlements as they stand; and again from the journal alone."""
    for name, scenario, book in CASES:
        if name.partition(":")[0] == file:
            _folds(scenario, book)


def _folds(scenario: Scenario, book: str) -> None:
    told = Told()
    for told, verdicts in played(scenario, book):
        for life in (told.table.last, told.table.life):
            if life is not None:
                _agrees(told.fold, life.round)
        ended = [one for one in verdicts if isinstance(one, Ended)]
        if ended:
            assert json.loads(told.last("round").payload)["round"]["round"] == ended[-1].round, scenario.title
    again = RecentRounds()
    for one in told.entries:
        if one.kind == "verdict":
            again.take([decode(one.body)])
    assert again.stories == told.fold.stories


def _agrees(fold: RecentRounds, done: Round) -> None:
    story = fold.stories[done.number]
    assert {one.alert.id for one in story.standing} == set(done.alerts)
    said = {key: json.loads(encode(line)) for key, line in story.settlements.items()}
    for key, line in done.settlements.items():
        assert _bare(said[key]) == _bare(json.loads(encode(line)))
    assert {line["result"] for key, line in said.items() if key not in done.settlements} <= {"no-action"}
    if done.ended is not None and story.end is not None:
        assert (story.end.result, story.end.why) == (done.ended.result, done.ended.why)


def _bare(line: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in line.items() if key not in ("t", "revises")}


# ---- the state ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("scenario", "book"), [c[1:] for c in CASES[::30]], ids=[c[0] for c in CASES[::30]])
def test_every_message_of_golden_rounds_is_as_described(scenario: Scenario, book: str) -> None:
    for told, _ in played(scenario, book):
        made = messages.state(told.address, STAMP, state(told.table, told.fold, ["a doubt"], {"north": "black"}))
        found = validate(made.topic, made.payload)["state"]
        assert found["round"] == (told.table.life.number if told.table.life else None)
    for one in told.messages:
        validate(one.topic, one.payload)


def test_a_withdrawal_goes_out_on_alert_too_under_the_id_of_its_alert() -> None:
    for _, scenario, book in CASES:
        *_, (told, _) = played(scenario, book)
        alerts = [json.loads(one.payload)["alert"] for one in told.messages if one.topic.endswith("/alert")]
        withdrawn = [one for one in alerts if one["state"] == "withdrawn"]
        if withdrawn:
            break
    opened = {one["id"] for one in alerts if one["state"] == "open"}
    for one in withdrawn:
        assert one["id"] == one["alert"] in opened
        assert one["why"]
        assert one["time"].endswith("Z")
    verdicts = [json.loads(one.body) for one in told.entries if one.kind == "verdict"]
    assert [one["alert"] for one in verdicts if one["verdict"] == "withdrawn"] == [one["id"] for one in withdrawn]


def test_the_state_is_what_lies_there_now() -> None:
    told = Told()
    empty = state(told.table, told.fold, [], {})
    assert (empty.round, empty.since, empty.hands, empty.bets, empty.alerts) == (None, None, {}, {}, [])
    told.event('{"t":3,"event":"chips","spot":"box2.main","amount":null,"stacks":[{"top":25,"count":4}]}')
    told.event('{"t":4,"event":"chips","spot":"box1.main","amount":62.5}')
    told.event('{"t":4,"event":"chips","spot":"box3.main","amount":5}')
    told.event('{"t":4,"event":"chips","spot":"box3.main","amount":0}')
    told.event('{"t":5,"event":"card","id":"c1","zone":"box1.cards","card":"9h"}')
    told.event('{"t":6,"event":"card","id":"c2","zone":"box2.cards","card":null,"face":"down"}')
    told.event('{"t":7,"event":"card","id":"c3","zone":"dealer.cards","card":"As"}')
    told.event('{"t":8,"event":"card","id":"c4","zone":"discard","card":"2s"}')
    told.event('{"t":9,"event":"remove","id":"c1"}')
    found = state(told.table, told.fold, ["a hand is in the way"], {"south": "black", "north": "frozen"})
    assert (found.round, found.since) == (1, 3.0)
    assert {zone: [(one.id, one.card, one.face) for one in cards] for zone, cards in found.hands.items()} == {
        "dealer.cards": [("c3", "As", "up")],
        "box2.cards": [("c2", None, "down")],
    }
    assert found.bets == {
        "box1.main": schema.Bet(amount=62.5, chips=None, stacks=None),
        "box2.main": schema.Bet(amount=None, chips=4, stacks=1),
    }
    assert [*found.bets] == ["box1.main", "box2.main"]
    assert [*found.cameras] == ["north", "south"]
    assert found.doubts == ["a hand is in the way"]
    assert state(told.table, told.fold, ["a hand is in the way"], {"north": "frozen", "south": "black"}) == found


def test_between_two_rounds_the_state_is_what_was_left_there() -> None:
    told = Told()
    for line in (
        '{"t":0,"event":"chips","spot":"box1.main","amount":100}',
        '{"t":1,"event":"card","id":"c1","zone":"box1.cards","card":"9h"}',
        '{"t":2,"event":"card","id":"c2","zone":"box2.cards","card":"8h"}',
        '{"t":3,"event":"signal","name":"place-bets"}',
        '{"t":4,"event":"clear"}',
    ):
        told.event(line)
    found = state(told.table, told.fold, [], {})
    assert found.round == 2
    assert {one.round for one in found.alerts} == {1}  # of the round before, which a later fact may still change
    told.event('{"t":5,"event":"chips","spot":"box1.main","amount":0}')
    told.event('{"t":6,"event":"chips","spot":"box3.main","amount":50}')
    told.event('{"t":7,"event":"card","id":"c3","zone":"box3.cards","card":"8d"}')
    told.event('{"t":8,"event":"clear"}')
    left = state(told.table, told.fold, [], {})
    assert (left.round, left.since, left.hands, left.settlements) == (None, None, {}, [])
    assert left.bets == {"box3.main": schema.Bet(amount=50, chips=None, stacks=None)}


def test_cards_that_were_forgotten_lie_there_still() -> None:
    told = Told()
    for line in (
        '{"t":0,"event":"chips","spot":"box1.main","amount":null,"stacks":[{"top":null,"count":null}],"by":"player"}',
        *(f'{{"t":{n},"event":"card","id":"c{n}","zone":"box1.cards","card":"{n}h"}}' for n in range(2, 6)),
        *(f'{{"t":{n + 10},"event":"remove","id":"c{n}"}}' for n in range(2, 5)),
        '{"t":20,"event":"chips","spot":"box2.main","amount":null,"stacks":[{"top":null,"count":null}],"by":"player"}',
    ):
        told.event(line)
    assert told.table.life is not None
    assert told.table.life.number == 2
    told.table.life = None  # as it is between the two
    assert {zone: [one.id for one in cards] for zone, cards in state(told.table, told.fold, [], {}).hands.items()} == {
        "box1.cards": ["c5"]
    }


# ---- hands that counted ---------------------------------------------------------------------------------------------

SPLIT = """round "split"
book v5
bets 1:100
deal 1 8c 8d, dealer 7h
player adds 100 to box1.main
box 1 splits
2s to box 1
Ts to box 1
Th to box 1 hand 2
9s to dealer
"""


def test_hands_of_a_split_are_told_apart() -> None:
    (scenario,) = parse(SPLIT)
    *_, (told, _) = played(scenario, "blackjack-rws-v5")
    assert told.table.life is not None
    hands = counted(told.table.life.round)
    assert [*hands] == ["dealer.cards", "box1.cards", "box1.hand2"]
    assert [card.card for card in hands["box1.hand2"]] == ["8d", "Th"]


def test_low_and_high_are_told_apart() -> None:
    scenario, book = next(
        (scenario, book)
        for _, scenario, book in CASES
        if book == "si-ki-pi-v3" and "ends completed" in str(scenario.steps)
    )
    for told, verdicts in played(scenario, book):
        if any(isinstance(one, Ended) and one.result == "completed" for one in verdicts):
            hands = told.last("round")
    found = validate(hands.topic, hands.payload)["round"]["hands"]
    assert {len(cards) for zone, cards in found.items() if zone.endswith((".low", ".high"))} == {2}
    assert {"box1.low", "box1.high"} <= set(found)
