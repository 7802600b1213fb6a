"""Wrong usage and bad input, reported in one line."""

import re


class UsageError(Exception):
    """One line for a person: where, what was expected, what was found, what to do."""


def without_login(text: str) -> str:
    """Hide the users and passwords of the addresses in a text.

    >>> without_login("found 'rtsp://viewer:p@ss@camera/7'")
    "found 'rtsp://…@camera/7'"
    """
    return re.sub(r"//[^/\s]*@", "//…@", text)
