"""What the demo tells over MQTT: a broker of our own, journal and outbox as the service has them, a subscriber."""

import json
import threading
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Final, Self

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

from feltwatch.edge.config.table_file import TableFile
from feltwatch.edge.journal.signing import Signer
from feltwatch.edge.journal.store import Journal, utc
from feltwatch.edge.messaging.encode import TableEncoder
from feltwatch.edge.messaging.local_broker import LocalBroker
from feltwatch.edge.messaging.mqtt import LinkTerms
from feltwatch.edge.messaging.outbox import Inbox, Outbox, OutboxHooks
from feltwatch.edge.pipeline.table_pipeline import StepResult
from feltwatch.edge.service.journal_writer import Happening, JournalWriter
from feltwatch.edge.service.state_report import RecentRounds, state
from feltwatch.engine.table import Table

WAIT_S: Final = 10.0  # for the last message to come round


class Airing:
    """Tells what a pipeline brings to a broker, and hears it there as a surveillance room would."""

    def __init__(self, table: TableFile) -> None:
        self.table = table
        self.fold = RecentRounds()
        self.heard: list[tuple[str, bytes]] = []
        self._news = threading.Condition()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            folder = Path(stack.enter_context(TemporaryDirectory()))
            self.broker = stack.enter_context(LocalBroker(0))
            self._listen(stack)
            self.journal = Journal(folder / "journal", self.table.id)
            stack.callback(self.journal.close)
            self.record = JournalWriter(self.journal.add)
            self.outbox = self._outbox(TableEncoder(self.table, self.journal, Signer(folder / "key.pem").public))
            stack.callback(self.outbox.close)
            self.outbox.start()
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def _listen(self, stack: ExitStack) -> None:
        client = Client(CallbackAPIVersion.VERSION2, "demo-subscriber", protocol=MQTTProtocolVersion.MQTTv311)
        client.on_connect = lambda client, *_: client.subscribe("feltwatch/#", qos=1)
        client.on_message = self._hear
        client.connect(self.broker.file.host, self.broker.file.port)
        client.loop_start()
        stack.callback(client.loop_stop)
        stack.callback(client.disconnect)

    def _hear(self, _client: Client, _data: object, message: MQTTMessage) -> None:
        with self._news:
            self.heard.append((message.topic, bytes(message.payload)))
            self._news.notify_all()

    def _outbox(self, encoder: TableEncoder) -> Outbox:
        hooks = OutboxHooks(
            encode=encoder.entry,
            birth=lambda: (encoder.status("online"),),
            farewell=lambda: encoder.status("offline", "the demo is over"),
            command=Inbox().put,
            say=lambda _: None,
        )
        terms = LinkTerms("feltwatch-demo", encoder.will(), encoder.address.commands, mqtt5=False)
        self.encoder = encoder
        return Outbox(self.journal, self.broker.file, terms, hooks)

    def tell(self, result: StepResult, table: Table) -> None:
        """Tell what a frame brought."""
        rounds = [found for one in result.judged for found in self.fold.take(one.verdicts, one.rounds)]
        if result.judged:
            self.record.write(Happening(result.events, result.verdicts, rounds), utc(), {})
            self.outbox.publish_state(self.encoder.state(state(table, self.fold, (), {})))

    def summary(self) -> list[str]:
        """Say what the subscriber got, once it has all of it."""
        with self._news:
            self._news.wait_for(lambda: self._seqs() >= self.journal.head.seq, WAIT_S)
            heard = [*self.heard]
        kinds = Counter(topic.rpartition("/")[2] for topic, _ in heard)
        counts = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
        lines = [f"Over MQTT, from the built-in broker at {self.broker.url}, messages by topic: {counts}"]
        return [*lines, "The alert, as a subscriber got it:"] + [
            f"{topic} {_short(payload)}" for topic, payload in heard if topic.endswith("/alert")
        ]

    def _seqs(self) -> int:
        now = ("state", "status")
        published = [json.loads(payload) for topic, payload in self.heard if topic.rpartition("/")[2] not in now]
        return max((int(one["seq"]) for one in published), default=0)


def _short(payload: bytes, most: int = 240) -> str:
    text = payload.decode()
    return text if len(text) <= most else f"{text[: most - 1]}…"
