"""What each alert code means, for docs and reports; the sentence is its check's own (`blackjack/play/dealer.py`)."""

_TABLE = """
wrong-box-order: a box was passed over and got its card later in the same pass.
box-skipped: a card went past a box that was due; provisional until the skipped box gets its card or the pass ends.
card-to-box-without-bet: a card fell on a box that had no main bet when the bets closed.
box-double-card: one box got two cards in a row in one pass of the first deal.
extra-card-to-hand: a third card fell right after the first deal without a request.
dealer-first-card-missing: the second pass began before the dealer had a card.
dealer-second-card-too-early: the dealer took a second card while a hand was not done.
subsequent-deal-wrong-box: a hit fell on another box than the one that had asked.
acting-box-passed-over: the next box got a card while a box before it still had to act.
simultaneous-cards: two cards left the shoe together and their order is lost.
boxed-card: a card lay face up in the shoe.
squeeze-card-exposed: a card that a Player may squeeze was dealt face up.
card-dropped: a card left the table between the shoe and its box.
card-outside-box: a card lies where no box is.
stale-card: a card of the last round still lay there when the next one was dealt.
missing-card: play went on although a split hand had only one card.
burn-card-dealt: a card came into play that was to be burnt after the shuffle.
unexpected-card: a card appeared where no rule asks for one.
hit-on-soft-21: a soft 21 got another card.
hit-on-blackjack: a Blackjack got a third card.
hit-on-21: a 21 got another card; only a question where the book allows it.
card-after-bust: a hand over 21 got another card.
card-after-stand: a hand that had stood got another card.
card-without-request: a hand of 12 or more got a card without a request (only where decisions are sent).
hit-after-double: a doubled hand got a second card.
double-card-missing: play left a doubled hand before its one card.
split-aces-extra-card: a hand of split Aces got a third card.
player-under-12-not-drawn: a hand under 12 would stand.
absent-player-overdrawn: the hand of a Player who left got a card at 12 or more.
dealer-overdraw: the dealer drew on 17 or more.
dealer-under-17-stands: settling began, or the cards were cleared, while the dealer had less than 17.
dealer-draws-before-players-done: the dealer drew on while a hand was not done.
dealer-not-drawn-for-boom: Boom Busted was taken, or cleared, before the dealer had drawn out.
dealer-draw-not-needed: the dealer drew although no bet waited for it.
hand-unresolved: a hand has waited half a minute for a decision or a card.
split-not-identical-value: two cards of different value were split.
split-too-many-hands: a box was split into more hands than the book allows.
split-aces-resplit: split Aces were split again.
split-wrong-order: a later split hand got a card before an earlier one was done.
split-bet-missing: a pair was parted and no second bet came.
split-bet-wrong-amount: the second bet of a split is not equal to the first.
double-not-allowed: a second bet lies on a hand that may not be doubled.
double-bet-wrong-amount: the second bet of a double is above the first (live: not equal to it).
double-bet-withdrawn: a doubled bet was taken back after its card.
surrender-not-allowed: half a bet was taken as a Surrender that the book forbids here.
surrender-too-late: a Surrender was asked after a third card had been dealt.
insurance-not-allowed: Insurance was bet and the dealer shows no Ace.
insurance-wrong-amount: Insurance is more than half of the Initial Bet (live: not half).
insurance-too-late: Insurance was bet after a third card had been dealt.
insurance-not-offered: the dealer shows an Ace and play went on at once (only where announcements are sent).
even-money-not-allowed: a hand was paid 1 to 1 that has no right to Even Money.
even-money-too-late: Even Money was paid or asked after a third card had been dealt.
one-seat-per-player: one account holds two seats.
behind-by-seated-player: a seated player bets behind another seat.
losing-bet-not-taken: the round closed and a lost bet still lay there.
winning-bet-not-paid: the round closed and a won bet lay there unpaid.
winning-bet-taken: the dealer took a bet that had won.
losing-bet-paid: the dealer paid a bet that had lost.
push-taken: the dealer took a bet that stood off.
push-paid: the dealer paid a bet that stood off.
wrong-payout: a win was paid with another amount than was due.
blackjack-not-paid: a Blackjack against 2 to 9 was not paid before the next card.
blackjack-paid-early: a Blackjack was paid while the dealer could still have one.
surrender-half-wrong: a surrendered box lost another amount than half.
dealer-bj-extra-taken: the dealer's Blackjack took more than the Initial Bet from split or doubled hands.
side-bet-not-settled: play went on while a decided side bet still lay there.
side-bet-wrong-result: a side bet was paid or taken against its result.
insurance-wrong-settlement: Insurance was paid or taken against its result.
commission-not-taken: a Si Ki Pi win was paid without its commission.
commission-on-bonus: commission was taken from a Bonus win.
settlement-order: the boxes were settled in another order than the house's own.
past-posting: a bet grew after the bets were closed.
bet-capped: a bet that had won grew before it was paid.
bet-pinched: a bet shrank after the bets were closed.
chip-moved: a chip went from one bet to another after the bets were closed.
bet-outside-box: chips lay on a line when the bets closed.
box-over-maximum: the bets of a box add up to more than the maximum.
bet-below-minimum: the bets of a box add up to less than the minimum.
side-bet-without-initial: a side bet lay on a box without a main bet.
side-bet-over-initial: an Under or Over 13 bet is above the main bet.
new-player-mid-round: a bet came onto a box that had none when the bets closed.
foreign-card: a card of another set was found.
excess-identical-card: a card came more often than there are decks.
duplicate-card: a card came twice in one deck.
card-shortage: fewer cards were counted than the decks hold.
shoe-exhausted: the shoe is empty and the round needs cards.
unshuffled-suspect: the cards come in an order that says they were not shuffled.
technical-interruption: play was interrupted from outside.
misread-suspect: a card cannot be read with confidence; nothing is concluded from it.
wrong-card-count: a Si Ki Pi hand holds other than four cards.
dealer-cards-exposed: the dealer showed cards of his own before the reveal.
player-cards-exposed-by-dealer: the dealer showed cards of a Player.
player-exposed-own-cards: a Player showed his own cards.
cards-touched-after-set: a hand went over cards that were already set.
other-player-handles-cards: a hand from another seat went over a box's cards.
additional-hand-examined: one Player looked at the cards of two boxes.
card-shown-to-other: a Player held his cards so that another could see them.
wrong-house-way: a hand was set otherwise than the House Way demands.
house-way-late: the dealer revealed before he had set a hand the House Way as asked.
foul-hand: a High Hand ranks below its Low Hand.
hand-not-set: the dealer revealed while a box had not set its hands.
bonus-not-settled: the round closed while a Bonus bet still lay there.
"""

MEANINGS = {code: text for code, _, text in (line.partition(": ") for line in _TABLE.strip().split("\n"))}
