"""What the messages of a table say, but for events and verdicts, whose JSON Schemas lie in edge/schemas.

The docstring of a type and the words beside a member are its description in docs/mqtt.md and docs/asyncapi.json.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

Seconds = Annotated[float, Meta(ge=0, description="seconds, as `t` of events")]
Text = Annotated[str, Meta(min_length=1)]
Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
Count = Annotated[int, Meta(ge=0)]
Number = Annotated[int, Meta(ge=1)]
Result = Literal["completed", "void", "unresolved"]
Severity = Literal["void", "stop", "correct", "advise"]
NoteKind = Literal["started", "stopped", "recovered", "camera", "doubt", "clock", "disk", "broken", "broker", "pruned"]
Settled = Annotated[  # the bytes of the verdict: its amounts are copied, never computed again
    Raw,
    Meta(
        description="a settlement, as its verdict gave it",
        extra_json_schema={"allOf": [{"$ref": "#/components/schemas/verdict.settlement"}]},
    ),
]
NONE = Raw(b"null")
Told = Annotated[
    Raw,
    Meta(
        description="the event that it became, which follows as a message of its own; null where it was refused",
        extra_json_schema={"anyOf": [{"$ref": "#/components/schemas/Event"}, {"type": "null"}]},
    ),
]


class Body(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What stands in a message beside its envelope."""


class Files(Body, frozen=True, kw_only=True):
    """Where the evidence of an alert will lie, within the folder that the table records into."""

    still: Annotated[str, Meta(description="the picture of its moment")]
    clip: Annotated[str, Meta(description="what was seen before and after")]


class Card(Body, frozen=True, kw_only=True):
    """A card on the layout."""

    id: Annotated[Text, Meta(description="as in its events")]
    card: Annotated[
        Annotated[str, Meta(pattern="^[A2-9TJQK][shdc]$")] | None, Meta(description="rank and suit; null: not known")
    ]
    face: Annotated[Literal["up", "down"], Meta(description="how it lies")]


class Raised(Body, frozen=True, kw_only=True):
    """An alert in short; the whole of it was told in its verdict."""

    id: Annotated[Text, Meta(description="as rulings name it")]
    round: Annotated[Number, Meta(description="in which it was raised")]
    t: Seconds
    code: Annotated[Text, Meta(description="as in alerts.md")]
    clause: Annotated[str, Meta(description="of the table's book")]
    severity: Severity
    box: Annotated[int, Meta(ge=1, le=9)] | None
    hand: Annotated[int, Meta(ge=1, le=4)] | None
    says: Annotated[Text, Meta(description="one sentence")]
    withdrawn: Annotated[str | None, Meta(description="why it was taken back; null: it stands")]


class Round(Body, frozen=True, kw_only=True):
    """A round that is over, whole. It is told again, whole, when a later fact changes what was told of it."""

    round: Annotated[Number, Meta(description="its number")]
    result: Result
    why: Annotated[str, Meta(description="why it ended so")]
    inferred: Annotated[bool, Meta(description="nobody said that it was void: concluded from what people did")]
    began: Seconds
    ended: Seconds
    hands: Annotated[
        dict[str, list[Card]] | None,
        Meta(
            description="the cards that counted, by the zone in which they lay, as they are known now; "
            "null where nobody knows them any more"
        ),
    ]
    settlements: Annotated[list[Settled], Meta(description="the latest of each box, hand and bet")]
    alerts: Annotated[list[Raised], Meta(description="all that were raised, also those that were withdrawn")]
    revises: Annotated[bool, Meta(description="it was told before, and this takes its place")]


class Bet(Body, frozen=True, kw_only=True):
    """Chips on a spot."""

    amount: Annotated[
        int | float | str | None,
        Meta(description="null: not known; a text where a binary number could not say it exactly"),
    ]
    chips: Annotated[Count | None, Meta(description="how many, where they were counted")]
    stacks: Annotated[Count | None, Meta(description="how many stand there, where they were counted")]


class State(Body, frozen=True, kw_only=True):
    """The round as it stands, for who comes in the middle of it."""

    round: Annotated[Number | None, Meta(description="its number; null: no round is on")]
    since: Annotated[Seconds | None, Meta(description="when it began")]
    hands: Annotated[dict[str, list[Card]], Meta(description="the cards that lie there now, by zone")]
    bets: Annotated[dict[str, Bet], Meta(description="the chips that lie there now, by spot")]
    alerts: Annotated[list[Raised], Meta(description="those that stand, of this round and of the one before")]
    settlements: Annotated[list[Settled], Meta(description="of this round, the latest of each box, hand and bet")]
    doubts: Annotated[list[str], Meta(description="what cannot be seen well now, a sentence each")]
    cameras: Annotated[dict[str, str], Meta(description="cameras in trouble, and what it is; the others see")]


class Note(Body, frozen=True, kw_only=True):
    """What the box says of itself."""

    kind: Annotated[NoteKind, Meta(description="what it is about")]
    says: Annotated[Text, Meta(description="one sentence")]
    since: Annotated[Seconds | None, Meta(description="from when on, where that is known")] = None
    camera: Annotated[Text | None, Meta(description="which one, where it is about one")] = None
    upto: Annotated[
        Number | UnsetType, Meta(description="`pruned`: the last entry of the journal that was dropped")
    ] = UNSET
    hash: Annotated[Digest | UnsetType, Meta(description="`pruned`: the hash of that entry")] = UNSET
    details: Annotated[
        dict[str, str | int | float | bool | None] | UnsetType, Meta(description="figures that belong to it")
    ] = UNSET


class File(Body, frozen=True, kw_only=True):
    """A file of evidence."""

    name: Annotated[Text, Meta(description="within the folder that the table records into")]
    sha256: Annotated[Digest | None, Meta(description="its digest; null: it was dropped, and is not known here")]
    bytes: Annotated[Count | None, Meta(description="its size; null: as above")]


class Evidence(Body, frozen=True, kw_only=True):
    """The evidence of an alert is written, and will not be altered; or some of it is no more."""

    alert: Annotated[Text, Meta(description="its id")]
    files: list[File]
    dropped: Annotated[str | None, Meta(description="why these files are no more; null: they are written")] = None


class Command(Body, frozen=True, kw_only=True):
    """The answer to what came on `cmd/signal`: taken, or why not."""

    topic: Annotated[str, Meta(description="on which it came, cut short where it is long")]
    sender: Annotated[Text | None, Meta(description="null: it said none, or several did")]
    proven: Annotated[
        bool, Meta(description="the topic names the sender, and who may write there is the broker's to say")
    ]
    command: Annotated[Text | None, Meta(description="the id that the sender gave it")]
    taken: bool
    why: Annotated[str, Meta(description="why it was refused; empty where it was taken")]
    event: Told
    times: Annotated[Number, Meta(description="how many commands this answers: above 1 where too many came")] = 1


class Head(Body, frozen=True, kw_only=True):
    """The last entry of the journal, signed: whoever keeps it can prove that the journal went so far, and how."""

    seq: Annotated[Count, Meta(description="of that entry")]
    hash: Annotated[Digest, Meta(description="of that entry, made of it and of the hash of the one before; SHA-256")]
    signature: Annotated[
        str,
        Meta(
            description="Ed25519, in base64, over the lines `feltwatch head`, the journal's id, `seq` and `hash`, "
            "with a line feed between them and none at the end"
        ),
    ]
    key: Annotated[str, Meta(description="the public key, in base64")]


class Status(Body, frozen=True, kw_only=True):
    """Whether the table is watched."""

    status: Literal["online", "offline"]
    why: Annotated[str, Meta(description="one sentence; empty where there is nothing to say")]
    version: Annotated[str, Meta(description="of feltwatch")]
    book: Annotated[str, Meta(description="the id of the table's book")]
    journal: Annotated[str, Meta(description="the id of the journal; ids of messages begin with its first 12 letters")]
    key: Annotated[str | None, Meta(description="the public key that signs heads, in base64")]


class Spread(Body, frozen=True, kw_only=True):
    """How long it took in the last minute: half were no longer than p50, ninety-nine of a hundred than p99."""

    p50: float
    p99: float


class Clock(Body, frozen=True, kw_only=True):
    """How far the box's time is to be trusted."""

    synchronised: Annotated[bool | None, Meta(description="with a time server; null: the system does not say")]
    jumps: Annotated[Count, Meta(description="how often it was set by more than a second, since the start")]
    jumped_s: Annotated[float, Meta(description="how far in all; below 0: back")]


class CameraHealth(Body, frozen=True, kw_only=True):
    """One camera."""

    trouble: Annotated[str | None, Meta(description="one sentence; null: it sees")]
    fps: Annotated[float, Meta(ge=0, description="pictures a second that came")]
    came: Annotated[Count, Meta(description="pictures, since the start")]
    dropped: Annotated[Count, Meta(description="of these, those there was no time for")]


class Health(Body, frozen=True, kw_only=True):
    """How the box does, at intervals. One that is lost is not sent again."""

    fps: Annotated[float, Meta(ge=0, description="pictures a second that were looked at")]
    came: Annotated[Count, Meta(description="pictures that came from all cameras, since the start")]
    dropped: Annotated[Count, Meta(description="of these, those there was no time for")]
    lag_s: Annotated[Spread | None, Meta(description="from a picture to what is told of it; null: nothing was")]
    inference_s: Annotated[Spread | None, Meta(description="the networks' part of looking at one; null: none was")]
    outbox: Annotated[Count, Meta(description="entries of the journal that the broker has not acknowledged")]
    disk_free_bytes: Annotated[Count | None, Meta(description="where the table is recorded; null: it does not answer")]
    temperature_c: Annotated[float | None, Meta(description="of the processor; null: the box has no such sensor")]
    clock: Clock
    uptime_s: Annotated[float, Meta(ge=0)]
    cameras: dict[str, CameraHealth]
    rss_bytes: Annotated[Count, Meta(description="memory that the process holds")]
    open_files: Count


def written(body: Body) -> str:
    """Give a body as the journal keeps it: one line of JSON."""
    return msgspec.json.encode(body).decode()
