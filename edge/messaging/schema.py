"""The JSON bodies of MQTT messages, as types. Events and verdicts have their JSON Schemas in edge/schemas.

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
NoteKind = Literal[
    "started", "stopped", "recovered", "camera", "doubt", "clock", "disk", "broken", "broker", "pruned", "deck"
]
Settled = Annotated[  # the bytes of the verdict: its amounts are copied, never computed again
    Raw,
    Meta(
        description="a settlement, as its verdict gave it",
        extra_json_schema={"allOf": [{"$ref": "#/components/schemas/verdict.settlement"}]},
    ),
]
NONE = Raw(b"null")
TakenEvent = Annotated[
    Raw,
    Meta(
        description="the event that it became, which follows as a message of its own; null if refused",
        extra_json_schema={"anyOf": [{"$ref": "#/components/schemas/Event"}, {"type": "null"}]},
    ),
]


class Body(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The part of a message after its envelope."""


class Files(Body, frozen=True, kw_only=True):
    """Where the evidence of an alert will be, within the table's record folder."""

    still: Annotated[str, Meta(description="the frame of its moment")]
    clip: Annotated[str, Meta(description="the video from before to after it")]


class LayoutCard(Body, frozen=True, kw_only=True):
    """A card on the layout."""

    id: Annotated[Text, Meta(description="as in its events")]
    card: Annotated[
        Annotated[str, Meta(pattern="^[A2-9TJQK][shdc]$")] | None, Meta(description="rank and suit; null: unknown")
    ]
    face: Annotated[Literal["up", "down"], Meta(description="which side is up")]


class Raised(Body, frozen=True, kw_only=True):
    """An alert in short; its verdict has all of it."""

    id: Annotated[Text, Meta(description="rulings name it so")]
    round: Annotated[Number, Meta(description="the round in which it was raised")]
    t: Seconds
    code: Annotated[Text, Meta(description="as in alerts.md")]
    clause: Annotated[str, Meta(description="of the table's book")]
    severity: Severity
    box: Annotated[int, Meta(ge=1, le=9)] | None
    hand: Annotated[int, Meta(ge=1, le=4)] | None
    says: Annotated[Text, Meta(description="one sentence")]
    withdrawn: Annotated[str | None, Meta(description="why it was withdrawn; null: it stands")]


class RoundSummary(Body, frozen=True, kw_only=True):
    """A whole round that is over. It is sent again, whole, when a later fact changes it."""

    round: Annotated[Number, Meta(description="its number")]
    result: Result
    why: Annotated[str, Meta(description="why it ended so")]
    inferred: Annotated[
        bool, Meta(description="the round was not declared void; feltwatch concluded it from what people did")
    ]
    began: Seconds
    ended: Seconds
    hands: Annotated[
        dict[str, list[LayoutCard]] | None,
        Meta(description="the cards that counted, by zone, as they are known now; null: no longer known"),
    ]
    settlements: Annotated[list[Settled], Meta(description="the latest of each box, hand and bet")]
    alerts: Annotated[list[Raised], Meta(description="all that were raised, also those that were withdrawn")]
    revises: Annotated[bool, Meta(description="it was sent before, and this replaces it")]


class Bet(Body, frozen=True, kw_only=True):
    """Chips on a spot."""

    amount: Annotated[
        int | float | str | None,
        Meta(description="null: unknown; a text where a binary number would not be exact"),
    ]
    chips: Annotated[Count | None, Meta(description="how many; null: not counted")]
    stacks: Annotated[Count | None, Meta(description="how many stacks; null: not counted")]


class State(Body, frozen=True, kw_only=True):
    """The current round, for subscribers that connect in the middle of it."""

    round: Annotated[Number | None, Meta(description="its number; null: no round is on")]
    since: Annotated[Seconds | None, Meta(description="when it began")]
    hands: Annotated[dict[str, list[LayoutCard]], Meta(description="the cards on the layout now, by zone")]
    bets: Annotated[dict[str, Bet], Meta(description="the chips on the layout now, by spot")]
    alerts: Annotated[list[Raised], Meta(description="those that stand, of this round and the one before")]
    settlements: Annotated[list[Settled], Meta(description="of this round, the latest of each box, hand and bet")]
    doubts: Annotated[list[str], Meta(description="what feltwatch cannot see well now, a sentence each")]
    cameras: Annotated[dict[str, str], Meta(description="cameras in trouble, each with its trouble")]


class Note(Body, frozen=True, kw_only=True):
    """A report of the device about itself."""

    kind: Annotated[NoteKind, Meta(description="what it is about")]
    says: Annotated[Text, Meta(description="one sentence")]
    since: Annotated[Seconds | None, Meta(description="from when on, if known")] = None
    camera: Annotated[Text | None, Meta(description="the camera that it is about, if any")] = None
    upto: Annotated[
        Number | UnsetType, Meta(description="`pruned`: the last entry of the journal that was dropped")
    ] = UNSET
    hash: Annotated[Digest | UnsetType, Meta(description="`pruned`: the hash of that entry")] = UNSET
    details: Annotated[dict[str, str | int | float | bool | None] | UnsetType, Meta(description="figures for it")] = (
        UNSET
    )


class File(Body, frozen=True, kw_only=True):
    """A file of evidence."""

    name: Annotated[Text, Meta(description="relative to the table's record folder")]
    sha256: Annotated[Digest | None, Meta(description="its digest; null: the file was dropped, its digest is unknown")]
    bytes: Annotated[Count | None, Meta(description="its size; null: unknown, as above")]


class Evidence(Body, frozen=True, kw_only=True):
    """The evidence of an alert is complete and final, or some of it was dropped."""

    alert: Annotated[Text, Meta(description="its id")]
    files: list[File]
    dropped: Annotated[str | None, Meta(description="why these files were dropped; null: they are complete")] = None


class Command(Body, frozen=True, kw_only=True):
    """The answer to a command on `cmd/signal`: taken, or why it was refused."""

    topic: Annotated[str, Meta(description="where it came, shortened if long")]
    sender: Annotated[Text | None, Meta(description="null: it named none, or the answer is for several senders")]
    proven: Annotated[
        bool,
        Meta(description="the topic names the sender, and the broker in the table's file decides who may write there"),
    ]
    command: Annotated[Text | None, Meta(description="the id that the sender gave it")]
    taken: bool
    why: Annotated[str, Meta(description="why it was refused; empty if taken")]
    event: TakenEvent
    times: Annotated[Number, Meta(description="how many commands this answers; above 1 when too many came")] = 1


class Head(Body, frozen=True, kw_only=True):
    """The last entry of the journal, signed. Keep it to prove later that the journal up to it is unaltered."""

    seq: Annotated[Count, Meta(description="of that entry")]
    hash: Annotated[Digest, Meta(description="SHA-256 of that entry and of the hash of the one before")]
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
    why: Annotated[str, Meta(description="one sentence; may be empty")]
    version: Annotated[str, Meta(description="of feltwatch")]
    book: Annotated[str, Meta(description="the id of the table's book")]
    journal: Annotated[str, Meta(description="the id of the journal; ids of messages begin with its first 12 letters")]
    key: Annotated[str | None, Meta(description="the public key that signs heads, in base64")]


class Spread(Body, frozen=True, kw_only=True):
    """Median and 99th percentile of the last minute, in seconds."""

    p50: float
    p99: float


class Clock(Body, frozen=True, kw_only=True):
    """How far the device's time can be trusted."""

    synchronised: Annotated[bool | None, Meta(description="with a time server; null: the system does not say")]
    jumps: Annotated[Count, Meta(description="how often it was set by more than a second since the start")]
    jumped_s: Annotated[float, Meta(description="by how much in all; negative: back")]


class CameraHealth(Body, frozen=True, kw_only=True):
    """One camera."""

    trouble: Annotated[str | None, Meta(description="one sentence; null: none")]
    fps: Annotated[float, Meta(ge=0, description="frames received a second")]
    came: Annotated[Count, Meta(description="frames received since the start")]
    dropped: Annotated[Count, Meta(description="frames dropped because the device was busy")]


class Health(Body, frozen=True, kw_only=True):
    """The health of the device, at intervals. A lost message is not sent again."""

    fps: Annotated[float, Meta(ge=0, description="frames analysed a second")]
    came: Annotated[Count, Meta(description="frames received from all cameras since the start")]
    dropped: Annotated[Count, Meta(description="frames dropped because the device was busy")]
    lag_s: Annotated[Spread | None, Meta(description="from a frame to the messages about it; null: there were none")]
    inference_s: Annotated[Spread | None, Meta(description="time of the networks for a frame; null: none was analysed")]
    outbox: Annotated[Count, Meta(description="entries of the journal that the broker has not acknowledged")]
    disk_free_bytes: Annotated[
        Count | None, Meta(description="of the disk with the record; null: the disk does not answer")
    ]
    temperature_c: Annotated[float | None, Meta(description="of the processor; null: no sensor")]
    clock: Clock
    uptime_s: Annotated[float, Meta(ge=0)]
    cameras: dict[str, CameraHealth]
    rss_bytes: Annotated[Count, Meta(description="memory of the process")]
    open_files: Count


def written(body: Body) -> str:
    """Give a body as the journal keeps it: one line of JSON."""
    return msgspec.json.encode(body).decode()
