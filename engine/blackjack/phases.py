"""The phases of a round of blackjack: which follows which, and on what.

Who acts is no phase, nor that every bet is decided: both follow from the hands. A card that came too early can make the
dealer's hand complete while first cards are still due. A void round goes on from phase to phase, since its cards and
chips are still followed.
"""

from typing import Final

from feltwatch.engine.round.phase import Phase, Transitions, Trigger, ends

PLAY: Final = (Phase.INTERIM, Phase.SUBSEQUENT_DEAL)

NEXT: Final[Transitions] = {
    (Phase.BETTING, Trigger.BETS_CLOSE): Phase.INITIAL_DEAL,
    (Phase.INITIAL_DEAL, Trigger.ORDER_DROPPED): Phase.LOOSE_DEAL,
    (Phase.INITIAL_DEAL, Trigger.FIRST_CARDS_COMPLETE): Phase.INTERIM,
    (Phase.LOOSE_DEAL, Trigger.FIRST_CARDS_COMPLETE): Phase.INTERIM,
    (Phase.INTERIM, Trigger.CARD_COUNTS): Phase.SUBSEQUENT_DEAL,
    (Phase.SUBSEQUENT_DEAL, Trigger.DEAL_PUT_RIGHT): Phase.INTERIM,
    **ends(Phase.BETTING, Phase.INITIAL_DEAL, Phase.LOOSE_DEAL, *PLAY),
}
