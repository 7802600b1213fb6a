"""Rounds on request: a book, a seed, and the errors that are to be committed, if any."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from random import Random

from feltwatch.datasets.deal.blackjack import Blackjack
from feltwatch.datasets.deal.faults.registry import BLACKJACK, SIKIPI, Needs
from feltwatch.datasets.deal.game import Game, TableSetup, forgets, inherits, joined
from feltwatch.datasets.deal.shoe import LOW_LEFT, DealerShoe
from feltwatch.datasets.deal.sikipi import Sikipi
from feltwatch.datasets.deal.story import DealtRound
from feltwatch.datasets.deal.visible import SKP, STALE, needs
from feltwatch.datasets.scene.dealer import HOUSE, Dealer
from feltwatch.engine.books import Book, find_book

MINIMUMS = (10, 20, 50)
BLACKJACK_BOXES = (5, 7)
SIKIPI_BOXES = (6,)


def play(  # noqa: PLR0913  each may be left out
    book: str,
    seed: int,
    *,
    boxes: int | None = None,
    occupied: int | None = None,
    error: str | None = None,
    pace: float = 1.0,
    at: float = 0.0,
) -> DealtRound:
    """Play one round; `pace` 2 is a table twice as quick, `at` the time it begins.

    A card left over from the round before needs two rounds: the story then holds both.

    >>> play("blackjack-rws-v5", 1, occupied=2) == play("blackjack-rws-v5", 1, occupied=2)
    True
    """
    errors = [None, error] if error == STALE else [error]
    return joined(session(book, seed, errors, boxes=boxes, occupied=occupied, pace=pace, at=at))


def session(  # noqa: PLR0913  each may be left out
    book: str,
    seed: int,
    errors: Sequence[str | None],
    *,
    boxes: int | None = None,
    occupied: int | None = None,
    pace: float = 1.0,
    at: float = 0.0,
    apart: bool = True,
    dealer: Dealer = HOUSE,
) -> list[DealtRound]:
    """Play rounds in sequence at one table, from one shoe while it lasts; each with its error, or None."""
    table = _seated(find_book(book), seed, errors, boxes, pace)
    table.setup = replace(table.setup, apart=apart, dealer=dealer)
    table.now = round(at * 1000)
    following = [*errors[1:], None]
    return [table.round(error, occupied, last=after == STALE) for error, after in zip(errors, following, strict=True)]


def _seated(book: Book, seed: int, errors: Sequence[str | None], boxes: int | None, pace: float) -> "DealtTable":
    """Choose a table at which all these errors are possible."""
    rng = Random(f"{book.id} {seed}")  # noqa: S311  a game for films
    wants = [needs(book.id, error) for error in errors] or [Needs()]
    sizes = SIKIPI_BOXES if book.id == SKP else BLACKJACK_BOXES
    least = max(want.least + want.free for want in wants)
    boxes = boxes or rng.choice([size for size in sizes if size >= least])
    minimum = max(want.minimum for want in wants) or rng.choice(MINIMUMS)
    settings = {} if boxes == 7 else {"boxes": str(boxes)}
    for want in wants:
        settings |= {name: value for name, value in want.settings.items() if book.id == LIVE or name != LIVE_ERROR}
    few = max(want.decks for want in wants)
    decks = max(few, book.decks_allowed[0]) if few else book.decks
    setup = TableSetup(book, boxes, 1, minimum, minimum * 100, settings, pace)
    return DealtTable(setup, seed, rng, DealerShoe(rng, decks))


LIVE, LIVE_ERROR = "live-blackjack", "live_error"  # a setting that only the live book needs


@dataclass(slots=True)
class DealtTable:
    """What goes on from round to round."""

    setup: TableSetup
    seed: int
    rng: Random
    shoe: DealerShoe
    ids: Iterator[int] = field(default_factory=lambda: count(1))
    now: int = 0  # milliseconds
    played: int = 0
    before: Game | None = None

    def round(self, error: str | None, occupied: int | None, *, last: bool) -> DealtRound:
        """Play one; `last`: it leaves a card behind."""
        want = needs(self.setup.book.id, error)
        shuffled = self._shuffles(want)
        setup = replace(self.setup, occupied=self._occupied(want, occupied), told=want.told)
        game = self._game(setup, error)
        game.shuffled = shuffled
        if self.before is not None and self.before.shoe is game.shoe:
            game.film.discarded = self.before.film.discarded
        if error == STALE and self.before is not None:
            inherits(game, self.before)
        if last:
            forgets(game)
        game.play()
        self.before, self.now, self.played = game, game.film.now, self.played + 1
        return game.story(self.seed, error)

    def _shuffles(self, want: Needs) -> bool:
        """Begin a fresh shoe where one is due; say whether that is announced."""
        single = self.setup.book.id == SKP
        due = self.played and (single or want.fresh or len(self.shoe) < LOW_LEFT)
        if due:
            self.shoe = DealerShoe(self.rng, self.shoe.decks)
        return bool(due) and not single

    def _occupied(self, want: Needs, asked: int | None) -> int:
        most = min(want.most, self.setup.boxes - want.free)
        return min(max(asked or self.rng.randint(1, 4), want.least), most)

    def _game(self, setup: TableSetup, error: str | None) -> Game:
        """Set up a round with its error."""
        planned = error not in (None, STALE)
        if setup.book.id == SKP:
            fours = Sikipi(setup, self.rng, self.shoe, self.now, self.ids)
            if planned:
                scheme, want = SIKIPI[error or ""]
                fours.plain = want.plain
                scheme(fours)
            return fours
        game = Blackjack(setup, self.rng, self.shoe, self.now, self.ids)
        if planned:
            plan, want = BLACKJACK[error or ""]
            game.plain = want.plain
            plan(game)
        return game
