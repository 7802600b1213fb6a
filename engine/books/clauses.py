"""Every clause of every book in plain words, what the engine does about it, and the code that does it."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

CODE: Mapping[str, tuple[str, ...]] = {  # topic -> where it is done
    "totals": ("engine/model/cards.py", "engine/blackjack/hands.py:total"),
    "deal-order": ("engine/blackjack/deal/initial_deal.py:dealt",),
    "bets-close": ("engine/round/base.py:Round.close", "engine/table.py:Table"),
    "betting": ("engine/round/bets.py:chips", "engine/round/bets.py:mains"),
    "side-bet-rules": (
        "engine/round/bets.py:lone_side_bets",
        "engine/blackjack/deal/subsequent_deal.py:side_unsettled",
    ),
    "pair": ("engine/blackjack/money/side_bets.py:wins",),
    "under-over": ("engine/blackjack/money/side_bets.py:wins", "engine/round/bets.py:close"),
    "rws-pairs": ("engine/blackjack/money/side_bets.py:pair_kind",),
    "boom": ("engine/blackjack/money/side_bets.py:settle_boom", "engine/blackjack/play/dealer.py:stood_short"),
    "even-money": ("engine/blackjack/play/decisions.py:even_money", "engine/blackjack/play/chips.py:early"),
    "insurance": ("engine/blackjack/play/chips.py:added", "engine/blackjack/money/side_bets.py:settle_insurance"),
    "surrender": (
        "engine/blackjack/play/decisions.py:may_surrender",
        "engine/blackjack/money/settlement.py:surrendered",
    ),
    "hit": ("engine/blackjack/hands.py:why_finished", "engine/blackjack/deal/subsequent_deal.py:to_player"),
    "stand": ("engine/blackjack/play/turns.py:stands", "engine/blackjack/play/decisions.py:told"),
    "must-draw": ("engine/blackjack/play/turns.py:blocks",),
    "split": ("engine/blackjack/play/decisions.py:split_error", "engine/blackjack/play/decisions.py:part"),
    "double": ("engine/blackjack/play/decisions.py:may_double", "engine/blackjack/play/inferred.py:chips_added"),
    "dealer-draw": ("engine/blackjack/play/dealer.py:stands", "engine/blackjack/deal/subsequent_deal.py:to_dealer"),
    "compare": ("engine/blackjack/money/settlement.py:against_dealer",),
    "blackjack": ("engine/blackjack/hands.py:BlackjackHand", "engine/blackjack/money/settlement.py:natural"),
    "dealer-blackjack": ("engine/blackjack/money/settlement.py:against_dealer",),
    "payout": ("engine/books/__init__.py:BOOKS", "engine/round/payments.py:by_dealer"),
    "behind": ("engine/blackjack/money/followers.py:came", "engine/round/bets.py:seat_taken"),
    "limits": ("engine/round/bets.py:chips",),
    "pro-rata": ("engine/model/money.py:pro_rata",),
    "absent": ("engine/round/checks.py:signal", "engine/blackjack/hands.py:why_finished"),
    "interruption": ("engine/round/checks.py:signal",),
    "void": ("engine/round/base.py:Round.void_round",),
    "options": ("engine/blackjack/deal/remedies.py:error_remedy", "engine/round/state.py:RoundState.invalidate"),
    "reconstruction": (
        "engine/blackjack/deal/remedies.py:assignment",
        "engine/blackjack/deal/remedies.py:resulting_hands",
    ),
    "discard": ("engine/blackjack/deal/subsequent_deal.py:to_dealer", "engine/blackjack/deal/subsequent_deal.py:dealt"),
    "simultaneous": ("engine/blackjack/deal/drawn_together.py:simultaneous",),
    "boxed-card": ("engine/round/checks.py:drawn",),
    "squeeze": ("engine/blackjack/deal/subsequent_deal.py:squeeze_exposed",),
    "deck": ("engine/round/checks.py:counted", "engine/model/shoe.py:Shoe.count"),
    "shuffle": ("engine/model/shoe.py:Shoe.opens",),
    "shoe-exhausted": ("engine/round/checks.py:signal", "engine/round/state.py:RoundState.must_draw"),
    "round": ("engine/table.py:Table",),
    "past-posting": ("engine/round/bets.py:chips", "engine/round/bets_after_close.py:moved"),
    "chip-position": ("engine/round/bets.py:close",),
    "ruling": ("engine/round/checks.py:signal", "engine/round/findings.py:Findings.plan"),
    "layout": ("engine/round/base.py:Round.on_dealt", "engine/round/checks.py:outside"),
    "skp-ranking": ("engine/sikipi/ranking.py:strength", "engine/sikipi/setting.py:due_parts"),
    "skp-compare": ("engine/sikipi/ranking.py:outcome", "engine/sikipi/settlement.py:settle_box"),
    "house-way": ("engine/sikipi/house_way.py:house_way", "engine/sikipi/setting.py:judge"),
    "skp-deal": ("engine/sikipi/deal_order.py:Deal", "engine/sikipi/deal_checks.py:arrives"),
    "skp-exposure": ("engine/sikipi/reveal.py:turned_up",),
    "skp-count": ("engine/sikipi/deal_checks.py:miscounted",),
    "skp-viewing": ("engine/sikipi/setting.py:viewed", "engine/sikipi/setting.py:lies"),
    "commission": ("engine/sikipi/settlement.py:commission", "engine/round/payments.py:by_dealer"),
    "bonus": ("engine/sikipi/bonus.py:bonus_hand", "engine/sikipi/settlement.py:settle_box"),
    "live-auto": ("engine/blackjack/hands.py:why_finished",),
    "live-error": ("engine/round/state.py:RoundState.cancel",),
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
    text = files("feltwatch.engine.books").joinpath(f"{book}.toml").read_text(encoding="utf-8")
    found = tomllib.loads(text)["clause"]
    return {one["id"]: Clause(book, one["id"], one["says"], one["engine"], one["topic"]) for one in found}
