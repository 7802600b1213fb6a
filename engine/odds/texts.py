"""What the figures assume."""

FIRST_TWO = (
    "All cards of the shoe are in it, and any two are as likely as any other two. Under 13 and Over 13 count an Ace "
    "as 1 and lose on 13; they are alike in Version 4 and Version 5, and Player Pair is the Pair of the live book "
    "too. The counts are pairs of cards of the whole shoe."
)
INSURANCE = (
    "Of the shoe only the dealer's Ace is known; in the second line also two cards of a player, neither worth ten. "
    "That is the best his own cards can tell him, and Insurance is a bad bet still."
)
DEALER = (
    "Off a full, unknown shoe; the dealer draws on 16 or less and stands on 17 or more, also on soft "
    "17. A Blackjack is not among the 21s."
)
BOOM = (
    "The dealer always draws out, whatever became of the players' hands (`boom_drawout = always`), so he busts as "
    "often as off a full shoe. A dealer's Blackjack loses the bet, as every hand does that is not bust."
)
SIKIPI = (
    "One deck. The Bonus is alike on a player's and on the dealer's hand. In the main bet the House Way sets both "
    "hands; a part that is equal is lost, and the commission is 5 per cent of every win, unrounded. All pairs of "
    "hands are counted: 1,820 sets of ranks against 1,820, with the suits that are left for the second hand. The last "
    "three lines read the House Way otherwise, for both hands."
)
LIVE = (
    "Eight decks. The dealer stands on soft 17 and takes his second card last; a dealer's Blackjack beats every 21 "
    "and takes all bets. Double on any first two cards but not after a split; one split, split Aces take one card "
    "each; Surrender against 2 to 9; Blackjack pays 3 to 2; no Insurance. What a hand may do and what each end of it "
    "brings is asked of the engine, by rounds played through it. Every decision is the best one for the exact cards "
    "of the hand against the dealer's first card, all other cards being in the shoe.\n\n"
    "Either hand of a split is played by its own cards; both then bring the same on average, which makes the figure "
    "exact for such play. A player who looks at both his hands can only do better. The last two lines are exact for "
    "him, and bound what the first leaves out, with two provisos: his first hand draws nothing to a hard 17 or more, "
    "which no single hand does at its best, and a split that fell short of the next best decision by more than 0.02 "
    "of the stake was not played out with both hands in view.\n\n"
    "The return that the text claims is not that of its rules. With Surrender against a 10 as well, as in the other "
    "books, the rules come within 0.01 % of it.\n\n"
    "The other lines change one reading each. Where the original bet alone is lost to a dealer's Blackjack, hands "
    "that are bust are lost besides, and each hand of a split is played as if it had its own bet to lose, so that "
    "this line is a lower bound. Beside a return stands what is won on average against each first card, for one "
    "staked."
)
