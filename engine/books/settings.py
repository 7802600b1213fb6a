"""The settings of a book: where its text leaves two readings, and what a table's practice adds."""

from dataclasses import dataclass, fields, replace
from decimal import Decimal, InvalidOperation
from difflib import get_close_matches


class SwitchError(ValueError):
    """No such setting, or no such value of it."""


@dataclass(frozen=True, slots=True)
class Switches:
    """One value a reading; `ALLOWED` lists what each may be, `WHY` what each means."""

    # readings of the blackjack books
    dealer_soft17: str = "stand"
    bj_beats_21: str = "true"
    v4_all_wagers_lose: str = "special-clauses-first"
    split_vs_bj: str = "collective"
    hard21_may_hit: str = "warn"
    under_over_limit: str = "each"
    under_over_excess: str = "supervisor"
    sur_early: str = "true"
    surrender_scope: str = "box"
    split_unlike_tens: str = "true"
    follower_resplit: str = "per-split"
    boom_drawout: str = "always"
    live_das: str = "false"
    live_vs_bj: str = "all"
    live_surrender: str = "2-9"
    live_error: str = "cancel"
    equal_bets: str = "ask"
    # irregularities
    pro_rata: str = "rescale"
    prorata_extra_bets: str = "scale"
    prorata_rounding: str = "down-to-smallest-chip"
    payout_rounding: str = "down-to-smallest-chip"
    limit_scope: str = "main"
    min_scope: str = "box"
    reconstruct_scope: str = "table"
    options_scope: str = "table"
    overdraw_options: str = "false"
    returned_side_bets: str = "decided-stay"
    round_start: str = "announcement"
    close_signal: str = "announcement-else-first-card"
    v4_fallback: str = "supervisor"
    # Si Ki Pi
    two_pairs: str = "keep"
    nine_or_ace: str = "inclusive"
    foul_hand: str = "relabel"
    wrong_count: str = "remove-hand"
    commission: str = "rounded-up"
    # the table's practice
    decisions: str = "auto"
    dealing: str = "auto"
    settlement_order: str = "none"
    burn: str = "0"
    smallest_chip: str = "0.01"
    min_confidence: str = "0.5"
    boxes: str = "7"

    def to_dict(self) -> dict[str, str]:
        return {item.name: getattr(self, item.name) for item in fields(self)}


NUMBER = "a number"
ALLOWED: dict[str, tuple[str, ...] | str] = {
    "dealer_soft17": ("stand", "hit"),
    "bj_beats_21": ("true", "false"),
    "v4_all_wagers_lose": ("special-clauses-first", "literal"),
    "split_vs_bj": ("collective", "per_hand"),
    "hard21_may_hit": ("warn", "false"),
    "under_over_limit": ("each", "sum"),
    "under_over_excess": ("supervisor", "full", "capped"),
    "sur_early": ("true", "false"),
    "surrender_scope": ("box",),
    "split_unlike_tens": ("true", "false"),
    "follower_resplit": ("per-split", "first-only"),
    "boom_drawout": ("always", "bust-only"),
    "live_das": ("false", "true"),
    "live_vs_bj": ("all", "obo"),
    "live_surrender": ("2-9", "not-ace"),
    "live_error": ("cancel", "ask-operator"),
    "equal_bets": ("ask",),
    "pro_rata": ("rescale", "simple"),
    "prorata_extra_bets": ("scale", "full"),
    "prorata_rounding": ("down-to-smallest-chip", "exact"),
    "payout_rounding": ("down-to-smallest-chip", "exact"),
    "limit_scope": ("main",),
    "min_scope": ("box", "bet"),
    "reconstruct_scope": ("table", "always"),
    "options_scope": ("table", "affected"),
    "overdraw_options": ("false", "true"),
    "returned_side_bets": ("decided-stay", "all-return"),
    "round_start": ("announcement",),
    "close_signal": ("announcement-else-first-card",),
    "v4_fallback": ("supervisor", "v5"),
    "two_pairs": ("keep", "named", "literal"),
    "nine_or_ace": ("inclusive", "exclusive"),
    "foul_hand": ("relabel", "supervisor"),
    "wrong_count": ("remove-hand", "void"),
    "commission": ("rounded-up", "exact"),
    "decisions": ("auto", "told", "silent"),
    "dealing": ("auto", "single", "packet"),
    "settlement_order": ("none", "right-to-left"),
    "burn": NUMBER,
    "smallest_chip": NUMBER,
    "min_confidence": NUMBER,
    "boxes": NUMBER,
}

BLACKJACK, SIKIPI, EVERY = "blackjack", "si-ki-pi", ""
WHY: dict[str, tuple[str, str]] = {  # which family has it, and what it decides
    "dealer_soft17": (BLACKJACK, "whether the dealer stands on a soft 17"),
    "bj_beats_21": (BLACKJACK, "whether a dealer's Blackjack beats a player's 21 of three cards or of a split"),
    "v4_all_wagers_lose": (BLACKJACK, "Version 4, 3.8.2: whether 'all wagers' yields to the special clauses"),
    "split_vs_bj": (BLACKJACK, "what un-bust split hands lose to a Blackjack: one Initial Bet together, or one each"),
    "hard21_may_hit": (BLACKJACK, "whether a card on a hard 21 is an error (false) or only a question (warn)"),
    "under_over_limit": (BLACKJACK, "Under 13 and Over 13 against the Initial Bet: each by itself, or their sum"),
    "under_over_excess": (BLACKJACK, "an Under/Over bet above the Initial Bet: ask, pay it in full, or cap it"),
    "sur_early": (BLACKJACK, "whether a surrender against a 10 stands although the dealer has Blackjack"),
    "surrender_scope": (BLACKJACK, "who surrenders: the box, by its Seated Player"),
    "split_unlike_tens": (BLACKJACK, "whether 10 and King, of one value, may be split"),
    "follower_resplit": (BLACKJACK, "whether a Standing Player is asked again at each further split"),
    "boom_drawout": (BLACKJACK, "when the dealer draws on for Boom Busted: always, or only if all hands are bust"),
    "live_das": (BLACKJACK, "live: whether a split hand may be doubled"),
    "live_vs_bj": (BLACKJACK, "live: what a dealer's Blackjack takes: all, or the original bet only"),
    "live_surrender": (BLACKJACK, "live: against which cards a hand may be surrendered"),
    "live_error": (BLACKJACK, "live: whether an error cancels the round at once or asks the operator"),
    "equal_bets": (BLACKJACK, "who decides for an unseated box with equal bets: the supervisor is asked"),
    "pro_rata": (EVERY, "how a box above the maximum is shared: rescaled to it, or one factor with a floor"),
    "prorata_extra_bets": (EVERY, "whether a double or split made on a cut bet is cut by the same factor"),
    "prorata_rounding": (EVERY, "rounding of a cut bet"),
    "payout_rounding": (EVERY, "rounding of a payment; the exact figure is kept beside it"),
    "limit_scope": (EVERY, "which bets the box limits count: main bets"),
    "min_scope": (EVERY, "what must reach the minimum: the box, or each bet"),
    "reconstruct_scope": (EVERY, "whether any settlement at the table ends reconstruction (table) or never (always)"),
    "options_scope": (EVERY, "who is offered the options: all at the table, or those affected"),
    "overdraw_options": (BLACKJACK, "whether a dealer's overdraw opens the options as well"),
    "returned_side_bets": (EVERY, "side bets of a returned hand: decided ones stay decided, or all return"),
    "round_start": (EVERY, "what begins the next round: the announcement, else the first chips or card"),
    "close_signal": (EVERY, "what closes the bets: the announcement, else the first card"),
    "v4_fallback": (BLACKJACK, "where Version 4 is silent: ask the supervisor, or act by Version 5"),
    "two_pairs": (SIKIPI, "House Way with two pairs: keep both, split the named 6622 only, or read literally"),
    "nine_or_ace": (SIKIPI, "House Way: whether a 9 and an Ace together count as 'either a 9 or an Ace'"),
    "foul_hand": (SIKIPI, "a High set below its Low: swap the names, or ask the supervisor"),
    "wrong_count": (SIKIPI, "one hand with a wrong number of cards: remove that hand, or void the round"),
    "commission": (SIKIPI, "rounding of the 5 per cent: up to the smallest chip, or exact"),
    "decisions": (
        EVERY,
        "whether players' decisions are reported; auto: once a hit, stand, double or split was",
    ),
    "dealing": (SIKIPI, "one card at a time, in packets of four, or as the first box shows (auto)"),
    "settlement_order": (EVERY, "the order of settling the boxes, where the house has one (box 1 first)"),
    "burn": (EVERY, "cards burnt after a shuffle"),
    "smallest_chip": (EVERY, "the smallest chip of the table, to which money is rounded"),
    "min_confidence": (EVERY, "a read below this is taken as no read"),
    "boxes": (EVERY, "betting boxes on the layout"),
}


def changed(switches: Switches, name: str, value: str) -> Switches:
    """Give the settings with one of them changed, or say what is wrong with it."""
    if name not in ALLOWED:
        near = get_close_matches(name, ALLOWED, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise SwitchError(f"unknown setting {name!r}{hint}")
    allowed = ALLOWED[name]
    if isinstance(allowed, str):
        try:
            ok = Decimal(value) >= 0
        except InvalidOperation:
            ok = False
        if not ok or (name == "smallest_chip" and not Decimal(value)):
            raise SwitchError(f"setting {name!r}: expected {allowed}, found {value!r}")
    elif value not in allowed:
        raise SwitchError(f"setting {name!r}: expected {' or '.join(allowed)}, found {value!r}")
    return replace(switches, **{name: value})
