"""Amounts as real chips: how a sum is stacked, and what is left when part of it goes."""

from random import Random

from feltwatch.datasets.deal.story import CHIPS

HIGHEST = 20  # chips in one stack

StackValues = tuple[int, ...]  # from the felt up
Stacks = tuple[StackValues, ...]


def worth(stacks: Stacks) -> int:
    """Give the sum of the chips.

    >>> worth(((25, 25), (5,)))
    55
    """
    return sum(map(sum, stacks))


def stacked(amount: int, rng: Random) -> Stacks:
    """Give chips of that sum, the dearest at the bottom; now and then a chip is broken into smaller ones.

    >>> worth(stacked(1237, Random(1)))
    1237
    """
    chips: list[int] = []
    for chip in reversed(CHIPS):
        count, amount = divmod(amount, chip)
        chips += [chip] * count
    if chips and rng.random() < 0.3:
        chips = _broken(chips, rng.randrange(len(chips)))
    return _columns(chips)


def _broken(chips: list[int], at: int) -> list[int]:
    chip = chips[at]
    smaller = [one for one in CHIPS if one < chip and chip % one == 0 and chip // one <= HIGHEST // 2]
    if not smaller:
        return chips
    part = smaller[-1]
    return sorted([*chips[:at], *chips[at + 1 :], *[part] * (chip // part)], reverse=True)


def _columns(chips: list[int]) -> Stacks:
    return tuple(tuple(chips[at : at + HIGHEST]) for at in range(0, len(chips), HIGHEST))


def beside(stacks: Stacks, more: Stacks) -> Stacks:
    """Set chips down beside those that lie there."""
    return (*stacks, *more)


def on_top(stacks: Stacks, more: Stacks) -> Stacks:
    """Put chips on top of the last stack, as many as it may hold.

    >>> on_top(((100,), (25,)), ((5, 5),))
    ((100,), (25, 5, 5))
    """
    *others, last = stacks
    return (*others, *_columns([*last, *(chip for stack in more for chip in stack)]))


def in_two(stacks: Stacks, rng: Random) -> Stacks:
    """Set the first stack up as two.

    >>> in_two(((25, 25, 5),), Random(1))
    ((25,), (25, 5))
    """
    first, *others = stacks
    at = rng.randrange(1, len(first)) if len(first) > 1 else 0
    return (first[:at], first[at:], *others) if at else stacks


def without(stacks: Stacks, amount: int, rng: Random) -> Stacks:
    """Take that sum away: whole stacks from the last on, then single chips, then with change made.

    >>> without(((100,), (25, 25)), 50, Random(1)), worth(without(((100,),), 40, Random(1)))
    (((100,),), 60)
    """
    left = [list(stack) for stack in stacks]
    for stack in reversed(left):
        if sum(stack) <= amount:
            amount -= sum(stack)
            stack.clear()
    for stack in reversed(left):
        for chip in sorted(stack, reverse=True):
            if chip <= amount:
                stack.remove(chip)
                amount -= chip
    kept = tuple(tuple(stack) for stack in left if stack)
    return stacked(worth(kept) - amount, rng) if amount else kept
