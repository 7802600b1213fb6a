"""What goes wrong with a picture, a package or a name, told in one line."""


class DataError(ValueError):
    """One line for a person: where, what was expected, what was found, what to do."""
