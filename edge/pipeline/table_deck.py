"""A table's own deck as its file names it: read and checked."""

from feltwatch.edge.config.table_file import TableFile
from feltwatch.edge.errors import UsageError
from feltwatch.vision.detection.known_deck import DeckFileError, KnownDeck, read_deck


def deck_of(table: TableFile) -> KnownDeck | None:
    """Give the deck that a table's file names; None if it names none, or one that `run` is yet to learn."""
    if table.deck is None or (table.learn_deck and not table.deck.exists()):
        return None
    try:
        return read_deck(table.deck)
    except DeckFileError as error:
        raise UsageError(f"{table.path}: table.deck: {error}") from error


def deck_digest(table: TableFile) -> dict[str, str]:
    """Give the digest of a table's deck beside those of the networks: it decides what is read as they do."""
    deck = deck_of(table)
    return {} if deck is None else {"deck": deck.digest}
