"""A round that nobody went on with after an error: a camera sees no ruling, only what people do then."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from feltwatch.engine.model.verdicts import Alert
    from feltwatch.engine.round.base import Round
    from feltwatch.engine.round.bets import Stack

TOGETHER_S = 0.75  # cards that leave the table within it are taken up in one sweep


def judge(r: "Round") -> bool:
    """Declare a round void that ended with an error nobody put right; say whether that was concluded."""
    if not r.only_seen:
        return False
    r.breaks_off()
    halted = [alert for name, alert in r.alerts.items() if r.raised[name] >= r.went_on and _halts(r, alert)]
    if not halted:
        return False
    if any(stack.present for stack in _mains(r)) or r.gap_t > halted[-1].t:
        r.doubt = f"nobody saw what followed {halted[-1].code}"
    elif r.given_back or halted[-1].remedy.outcome == "void" or _went_back(r, halted[-1]):
        r.void_round(f"the round was broken off and its bets went back: {halted[-1].says}")
        return True
    else:
        r.doubt = f"nobody saw whether the round was void after {halted[-1].code}"
    return False


def _mains(r: "Round") -> "list[Stack]":
    return [stack for stack in r.stacks.values() if stack.spot.kind == "main" and stack.at_close]


def _went_back(r: "Round", alert: "Alert") -> bool:
    """Tell whether open bets were taken up by their Players after an error, and none by the dealer."""
    mains = _mains(r)
    by = {stack.emptied_by for stack in mains if stack.emptied is not None and stack.emptied >= alert.t}
    return any(r.undecided(stack) for stack in mains) and "player" in by and "dealer" not in by


def _halts(r: "Round", alert: "Alert") -> bool:
    """Tell whether an error stops the game, and was not put right."""
    stops = alert.severity in ("void", "stop") and alert.remedy.outcome != "correct-payment"
    return stops and not _taken_away(r, alert)


def _taken_away(r: "Round", alert: "Alert") -> bool:
    """Tell whether the last card of an error left the table by itself, the others of the hand and the bets staying."""
    cards = [r.seen[name] for name in alert.evidence if name in r.seen]
    left = cards[-1].gone_at if cards else None
    if left is None:
        return False
    if all(stack.emptied is not None and stack.emptied <= left for stack in _mains(r)):
        return False
    return any(one.gone_at is None or one.gone_at > left + TOGETHER_S for one in cards[:-1])
