"""Every test starts with the House Way unworked, so that none leans on what another has computed."""

import pytest

from engine.sikipi import house_way


@pytest.fixture(autouse=True)
def _nothing_remembered() -> None:
    for one in vars(house_way).values():
        if hasattr(one, "cache_clear"):
            one.cache_clear()
