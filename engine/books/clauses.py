"""Every clause of every book in plain words, what the engine does about it, and the code that does it."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

CODE: Mapping[str, tuple[str, ...]] = {  # topic -> where it is done
    "totals": ("engine/cards.py", "engine/blackjack/hands.py:total"),
    "deal-order": ("engine/blackjack/initial.py:dealt",),
    "bets-close": ("engine/round.py:Round.close", "engine/table.py:Table"),
    "betting": ("engine/bets.py:chips", "engine/bets.py:mains"),
    "side-bet-rules": ("engine/bets.py:lone_side_bets", "engine/blackjack/play.py:side_unsettled"),
    "pair": ("engine/blackjack/sides.py:wins",),
    "under-over": ("engine/blackjack/sides.py:wins", "engine/bets.py:close"),
    "rws-pairs": ("engine/blackjack/sides.py:pair_kind",),
    "boom": ("engine/blackjack/sides.py:settle_boom", "engine/blackjack/dealer.py:stood_short"),
    "even-money": ("engine/blackjack/decisions.py:even_money", "engine/blackjack/chips.py:early"),
    "insurance": ("engine/blackjack/chips.py:added", "engine/blackjack/sides.py:settle_insurance"),
    "surrender": ("engine/blackjack/decisions.py:may_surrender", "engine/blackjack/settle.py:surrendered"),
    "hit": ("engine/blackjack/hands.py:why_finished", "engine/blackjack/play.py:to_player"),
    "stand": ("engine/blackjack/play.py:stands", "engine/blackjack/decisions.py:told"),
    "must-draw": ("engine/blackjack/play.py:blocks",),
    "split": ("engine/blackjack/decisions.py:split_error", "engine/blackjack/decisions.py:part"),
    "double": ("engine/blackjack/decisions.py:may_double", "engine/blackjack/inferred.py:chips_added"),
    "dealer-draw": ("engine/blackjack/dealer.py:stands", "engine/blackjack/dealer.py:dealt"),
    "compare": ("engine/blackjack/settle.py:against_dealer",),
    "blackjack": ("engine/blackjack/hands.py:Hand", "engine/blackjack/settle.py:natural"),
    "dealer-blackjack": ("engine/blackjack/settle.py:against_dealer",),
    "payout": ("engine/books/__init__.py:BOOKS", "engine/payments.py:by_dealer"),
    "behind": ("engine/blackjack/followers.py:came", "engine/bets.py:seat_taken"),
    "limits": ("engine/bets.py:chips",),
    "pro-rata": ("engine/money.py:pro_rata",),
    "absent": ("engine/checks.py:signal", "engine/blackjack/hands.py:why_finished"),
    "interruption": ("engine/checks.py:signal",),
    "void": ("engine/round.py:Round.void_round",),
    "options": ("engine/blackjack/remedies.py:error_remedy", "engine/round.py:Round.invalidate"),
    "reconstruction": ("engine/blackjack/initial.py:assignment", "engine/blackjack/remedies.py:resulting_hands"),
    "discard": ("engine/blackjack/dealer.py:dealt", "engine/blackjack/play.py:dealt"),
    "simultaneous": ("engine/blackjack/strays.py:simultaneous",),
    "boxed-card": ("engine/checks.py:drawn",),
    "squeeze": ("engine/blackjack/play.py:squeeze_exposed",),
    "deck": ("engine/checks.py:counted", "engine/shoe.py:Shoe.count"),
    "shuffle": ("engine/shoe.py:Shoe.opens",),
    "shoe-exhausted": ("engine/checks.py:signal", "engine/round.py:Round.must_draw"),
    "round": ("engine/table.py:Table",),
    "past-posting": ("engine/bets.py:chips", "engine/after_close.py:moved"),
    "chip-position": ("engine/bets.py:close",),
    "ruling": ("engine/checks.py:signal", "engine/voice.py:Voice.plan"),
    "layout": ("engine/round.py:Round.on_dealt", "engine/checks.py:outside"),
    "skp-ranking": ("engine/sikipi/ranking.py:strength", "engine/sikipi/setting.py:due_parts"),
    "skp-compare": ("engine/sikipi/ranking.py:outcome", "engine/sikipi/settlement.py:settle_box"),
    "house-way": ("engine/sikipi/house_way.py:house_way", "engine/sikipi/setting.py:judge"),
    "skp-deal": ("engine/sikipi/deal.py:Deal", "engine/sikipi/dealing.py:arrives"),
    "skp-exposure": ("engine/sikipi/exposure.py:turned_up",),
    "skp-count": ("engine/sikipi/dealing.py:miscounted",),
    "skp-viewing": ("engine/sikipi/setting.py:viewed", "engine/sikipi/setting.py:lies"),
    "commission": ("engine/sikipi/settlement.py:commission", "engine/payments.py:by_dealer"),
    "bonus": ("engine/sikipi/bonus.py:bonus_hand", "engine/sikipi/settlement.py:settle_box"),
    "live-auto": ("engine/blackjack/hands.py:why_finished",),
    "live-error": ("engine/round.py:Round.cancel",),
}


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause: what it demands, and what is done about it ("" where software owes it nothing)."""

    book: str
    id: str
    says: str
    engine: str
    topic: str

    @property
    def code(self) -> tuple[str, ...]:
        return CODE[self.topic] if self.topic else ()


@cache
def clauses(book: str) -> Mapping[str, Clause]:
    """Give the clauses of a book in their order."""
    text = files("engine.books").joinpath(f"{book}.toml").read_text(encoding="utf-8")
    found = tomllib.loads(text)["clause"]
    return {one["id"]: Clause(book, one["id"], one["says"], one["engine"], one["topic"]) for one in found}
