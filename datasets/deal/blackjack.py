"""A round of blackjack: bets, two cards each, what two cards decide, and every hand played out."""

from feltwatch.datasets.deal import settle
from feltwatch.datasets.deal.blackjack_table import BlackjackTable, DealtHand, player_bet
from feltwatch.datasets.deal.game import MAIN, Fate
from feltwatch.datasets.deal.rules import LIMIT, LIVE, SIDES, STANDING, may_double, may_split, points, total

SQUEEZED = ("blackjack-rws-v5", "rws-blackjack-2024")  # books that let cards be dealt face down on request
MOST_SIDES = 6  # side bets in one round: more would keep the first Player waiting


class Blackjack(BlackjackTable):
    """The dealer's own view of the round."""

    # ---- bets -------------------------------------------------------------------------------------------------------

    def amounts(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for box in self.seats:
            found[f"box{box}.main"] = stake = self.stake()
            if not self.plain:
                found |= self._others(box, stake)
        sides = [spot for spot in found if spot.partition(".")[2] in SIDES[self.book.id]]
        for spot in self.rng.sample(sides, max(len(sides) - MOST_SIDES, 0)):
            del found[spot]
        return dict(self.rng.sample([*found.items()], len(found)))

    def stake(self, least: int = 1, most: int = 10) -> int:
        """Give an even number of tens, so that every half and every payment can be laid in chips."""
        return self.setup.minimum * self.rng.randint(least, most)

    def _others(self, box: int, most: int) -> dict[str, int]:
        found: dict[str, int] = {}
        chance = self.rng.random
        if self.book.id in STANDING and chance() < 0.15:
            found[f"box{box}.main/standing1"] = self.stake()
        if self.book.id == LIVE and chance() < 0.25:
            found[f"box{box}.behind{self.rng.randint(1, 2)}"] = self.stake()
        for kind in SIDES[self.book.id]:
            if chance() < 0.2:
                found[f"box{box}.{kind}"] = min(self.rng.choice((5, 10, 20, 25)), most)
        return found

    # ---- the first two cards ----------------------------------------------------------------------------------------

    def runs(self) -> None:
        self.hands = {box: [self._opened(box)] for box in self.seats}
        for place, box in enumerate(self.slots()):
            if not self.moment("slot", place, box):
                self.card(self.first(box))
        self.moment("dealt")
        settle.first_two(self)
        self.moment("interim")
        for box in self.seats:
            self.box(box)
        if not self.moment("dealer"):
            self.dealers_turn()
        self.moment("drawn")
        settle.round_ends(self)
        self.moment("settled")

    def _opened(self, box: int) -> DealtHand:
        mains = sorted(spot.partition(".")[2] for spot in self.stakes if player_bet(spot, box))
        mains.sort(key=lambda bet: bet != MAIN)  # the Seated Player's first: the others follow him
        return DealtHand(box, bets={bet: self.stakes[f"box{box}.{bet}"] for bet in mains})

    def slots(self) -> list[int]:
        return [*self.seats, 0, *self.seats]

    def card(self, hand: DealtHand, *, crosswise: bool = False, up: bool = True) -> None:
        face = self.draw(hand.box)
        self.adds(hand, self.film.deal(face, hand.zone, up=up, crosswise=crosswise), face)

    def rigs(self, result: str) -> None:
        box, dealer = {"win": ("T T", "T 7"), "lose": ("T 8", "T 9"), "stand-off": ("T 8", "T 8")}[result]
        self.fate(self.seats[0], box, "stand")
        self.fate(0, dealer)

    # ---- the hands --------------------------------------------------------------------------------------------------

    def box(self, box: int) -> None:
        """Play every hand of a box; those that a split makes come at once after it."""
        at = 0
        while at < len(self.hands[box]):
            hand = self.hands[box][at]
            self.hand(hand)
            at += 1

    def hand(self, hand: DealtHand) -> None:
        if self.moment("hand", hand):
            return
        if len(hand.cards) == 1:
            self.film.wait((0.2, 0.5))
            self.card(hand)
        while not (hand.done or hand.refused or hand.points >= LIMIT or hand.aces):
            self.film.wait((0.3, 1.5))
            if self.moment("act", hand) or not self.acts(hand, self.choice(hand)):
                break
        self.moment("full", hand)
        if hand.points > LIMIT and not hand.done:
            settle.bust(self, hand)

    def acts(self, hand: DealtHand, act: str) -> bool:
        """Carry a decision out; say whether the hand may go on."""
        if act == "stand":
            self.gesture(hand, act)
            return False
        if act == "hit":
            self.gesture(hand, act)
            self.card(hand)
            return True
        if act == "double":
            self.doubles(hand)
            return False
        self.splits(hand)
        return True

    def choice(self, hand: DealtHand) -> str:
        fate = self.fates.setdefault(hand.box, Fate())
        return fate.acts.pop(0) if fate.acts else self._fancy(hand)

    def _fancy(self, hand: DealtHand) -> str:
        """Decide as some Player would, who is not always wise."""
        chance, (count, soft) = self.rng.random(), total(hand.cards)
        hands = len(self.hands[hand.box])
        followed = len(self.hands[hand.box][0].bets) > 1 and hands > 1
        if may_split(self.book, hand.cards, hands, aces=hand.aces) and not followed and chance < 0.6:
            return "split"
        if may_double(self.book, hand.cards, split=hand.split, aces=hand.aces):
            pair = hand.cards[0].value == hand.cards[1].value  # with a second stack it would look like a split
            if chance < (0.5 if 9 <= count <= 11 else 0.0 if pair else 0.06):
                return "double"
        if count < 12:
            return "hit"
        if count < 17 or (soft and count < 18):
            return "hit" if chance < 0.5 else "stand"
        return "stand" if chance < 0.98 or count > 18 else "hit"

    # ---- doubles and splits -----------------------------------------------------------------------------------------

    def doubles(self, hand: DealtHand, amount: int | None = None) -> None:
        """The second bets come, then one card."""
        self.adds_double(hand, amount)
        self.doubled_card(hand)

    def doubled_card(self, hand: DealtHand) -> None:
        """The one card of a double comes as the dealer lays it: face down only where cards may be squeezed."""
        how = self.setup.dealer.double
        if how == "face-down" and self.book.id in SQUEEZED:
            self.card(hand, crosswise=self.film.habits.random() < 0.5, up=False)
            self.film.wait((0.6, 2.5))
            self.film.turn(hand.ids[-1])
        else:
            self.card(hand, crosswise=how != "straight")

    def adds_double(self, hand: DealtHand, amount: int | None = None) -> None:
        for bet, stake in hand.bets.items():
            more = stake
            if bet == MAIN:
                less = self.book.id != LIVE and not self.plain and self.rng.random() < 0.2
                more = amount or (stake // 2 if less else stake)
                self.decided(hand, "double", amount=more)
            elif not self.followed(hand.box, bet):
                continue
            hand.extra[bet] = more
            self.film.put(self.spot(hand, bet), more, by=f"box{hand.box}")

    def followed(self, box: int, bet: str) -> bool:
        """True if one who bets on another's hand goes along with him."""
        return self.follows.setdefault(f"box{box}.{bet}", self.rng.random() < 0.5)

    def splits(self, hand: DealtHand) -> None:
        """The cards of a pair are parted, and the first hand gets its next card; live: both do."""
        new = self.splits_bets(hand)
        self.film.wait((0.2, 0.5))
        self.card(hand)
        if self.book.id == LIVE:
            self.card(new)

    def splits_bets(self, hand: DealtHand) -> DealtHand:
        """The second bets come, and the second card is pushed aside; or the other way round."""
        new = self.parted(hand)
        if self.setup.dealer.parts_first:
            self._moves_apart(hand, new)
        for bet, stake in hand.bets.items():
            if bet == MAIN or self.followed(hand.box, bet):
                if bet == MAIN:
                    self.decided(hand, "split", amount=stake)
                new.bets[bet] = stake
                self.film.put(self.spot(new, bet), stake, by=f"box{hand.box}")
        if not self.setup.dealer.parts_first:
            self._moves_apart(hand, new)
        return new

    def _moves_apart(self, hand: DealtHand, new: DealtHand) -> None:
        self.film.slide(new.ids[0], new.zone, hand=new.number)
        if self.setup.dealer.split.startswith("both-") and hand.number == 1:
            self.film.spread(hand.ids[0])

    def parted(self, hand: DealtHand) -> DealtHand:
        hands = self.hands[hand.box]
        new = DealtHand(hand.box, [hand.ids.pop()], [hand.cards.pop()], number=len(hands) + 1, split=True)
        hand.split = True
        hand.aces = new.aces = hand.cards[0].rank == "A"
        hands.insert(hands.index(hand) + 1, new)
        return new

    # ---- the dealer -------------------------------------------------------------------------------------------------

    def draws_out(self) -> bool:
        """True if a bet waits for the dealer's whole hand."""
        return any(not hand.natural for hand in self.waiting()) or bool(self.side("boom-busted"))

    def dealers_turn(self) -> None:
        self.film.wait((0.4, 1.0))
        if self.draws_out():
            while points(self.dealer.cards) < 17:
                self.card(self.dealer)
        elif self.side("insurance") or (self.waiting() and (self.up.rank == "A" or self.up.value == 10)):
            self.card(self.dealer)
