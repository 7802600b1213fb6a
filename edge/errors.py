"""Wrong usage and bad input, told in one line."""


class UsageError(Exception):
    """One line for a person: where, what was expected, what was found, what to do."""
