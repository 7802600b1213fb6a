"""Pages shown in a browser, where there is a screen to show them on."""

import os
import sys
import threading
import webbrowser

STARTS_IN_S = 5.0


def has_screen() -> bool:
    """True if a browser can show itself: on a machine without a screen one would run in the terminal."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def show(address: str) -> None:
    """Open a page, if that is possible; a browser that does not return is not waited for."""
    if has_screen():
        opening = threading.Thread(target=webbrowser.open, args=(address,), daemon=True)
        opening.start()
        opening.join(STARTS_IN_S)
