"""Invented casinos, whose names felts and chips show."""

from collections.abc import Mapping

HOUSES: Mapping[str, tuple[str, ...]] = {
    "train": (
        "Grand Marlowe", "Casino Bellmoor", "The Ostrich Club", "Silver Heron", "Port Avalon", "Club Sestina",
        "Northgate", "Lucky Marten", "Royal Quince", "Harbour & Pine", "Casino Tamarind", "The Copper Fox",
        "Villa Corvina", "Blue Lantern", "Emberline", "Palais Morel", "Kestrel Bay", "Golden Thistle",
    ),
    "val": ("Casino Aldergate", "Red Cormorant", "Pavillon Nord"),
    "test": (
        "The Velvet Otter", "Casino Larkspur", "Queen's Wharf House", "Monsoon Palace", "Ninth Pier", "Orchid & Ash",
        "Casino Ventoux", "Saffron Gate",
    ),
}  # fmt: skip
