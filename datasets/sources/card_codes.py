"""How people name the picture of a card, and the one way we do: `9h`, `Td`, `As`."""

import re
from types import MappingProxyType

from feltwatch.engine.model.cards import CARDS

LONGEST = 64  # of a given name
FACES = tuple(CARDS)  # 2s … Ac
COURTS = tuple(face for face in FACES if face[0] in "JQK")

_WORDS = ("ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king")
RANK_WORDS = MappingProxyType(dict(zip("A23456789TJQK", _WORDS, strict=True)))
SUIT_WORDS = MappingProxyType({"s": "spade", "h": "heart", "d": "diamond", "c": "club"})

_RANKS = MappingProxyType(
    {rank.lower(): rank for rank in RANK_WORDS}
    | {word: rank for rank, word in RANK_WORDS.items()}
    | {"1": "A", "10": "T", "11": "J", "12": "Q", "13": "K"}
)
_SUITS = MappingProxyType(
    {suit: suit for suit in SUIT_WORDS}
    | {word: suit for suit, word in SUIT_WORDS.items()}
    | {f"{word}s": suit for suit, word in SUIT_WORDS.items()}
    | {"♠": "s", "♥": "h", "♦": "d", "♣": "c"}
)
_RANK = "|".join(sorted(_RANKS, key=len, reverse=True))
_SUIT = "|".join(sorted(_SUITS, key=len, reverse=True))
_BETWEEN = r"(?:[\s_-]*of[\s_-]*|[\s_-]*)"
_RANK_FIRST = re.compile(rf"({_RANK}){_BETWEEN}({_SUIT})")
_SUIT_FIRST = re.compile(rf"({_SUIT})[\s_-]*({_RANK})")


def is_name(text: str) -> bool:
    """True if a deck or a set of chips may be called so; a folder will be.

    >>> [is_name(text) for text in ("club-2026", "Größe_2", "", "../x", "a b", "-o")]
    [True, True, False, False, False, False]
    """
    return len(text) <= LONGEST and re.fullmatch(r"\w[\w-]*", text) is not None


def card_named(stem: str) -> str | None:
    """Give the card a file is named after, or None.

    >>> [card_named(name) for name in ("9h", "10H", "ace_of_spades", "club-king", "Spade 1", "back")]
    ['9h', 'Th', 'As', 'Kc', 'As', None]
    """
    text = stem.strip().lower()
    if found := _RANK_FIRST.fullmatch(text):
        return _RANKS[found[1]] + _SUITS[found[2]]
    if found := _SUIT_FIRST.fullmatch(text):
        return _RANKS[found[2]] + _SUITS[found[1]]
    return None


def in_pattern(pattern: str, face: str) -> str:
    """Write a face the way a package does.

    >>> in_pattern("{suit}_{number}", "As"), in_pattern("{word}_of_{suits}2", "Jc"), in_pattern("{ten}{S}", "Th")
    ('spade_1', 'jack_of_clubs2', '10H')
    """
    rank, suit = face[0], face[1]
    word = RANK_WORDS[rank]
    digits = {"A": "1", "T": "10"}.get(rank, rank)
    return pattern.format(
        rank=rank,
        ten="10" if rank == "T" else rank,
        low=("10" if rank == "T" else rank).lower(),
        number=word if rank in "JQK" else digits,
        word=word if rank in "AJQK" else digits,
        s=suit,
        S=suit.upper(),
        suit=SUIT_WORDS[suit],
        suits=f"{SUIT_WORDS[suit]}s",
    )
