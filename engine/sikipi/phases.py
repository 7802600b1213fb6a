"""The phases of a round of Si Ki Pi: which follows which, and on what.

That the deal is over is no phase: it follows from the number of cards, and cards may still be moved. Whether they fell
in order is `DealOrder`. A void round goes on from phase to phase, since its cards and chips are still followed.
"""

from typing import Final

from feltwatch.engine.round.phase import Phase, Transitions, Trigger, ends

NEXT: Final[Transitions] = {
    (Phase.BETTING, Trigger.BETS_CLOSE): Phase.DEAL,
    (Phase.DEAL, Trigger.HAND_PLACED): Phase.SETTING,
    (Phase.DEAL, Trigger.DEALER_REVEALS): Phase.REVEAL,
    (Phase.SETTING, Trigger.DEALER_REVEALS): Phase.REVEAL,
    **ends(Phase.BETTING, Phase.DEAL, Phase.SETTING, Phase.REVEAL),
}
