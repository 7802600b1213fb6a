"""What is pinned to run with is what is needed, and nothing else; `python -m tests.pinned_wheels` fetches the files."""

import re

from packaging.utils import canonicalize_name

from tests.pinned_wheels import DEV, MACHINES, ROOT, RUN, closure, declared, pins, platforms


def test_what_is_declared_is_what_is_named_to_be_pinned() -> None:
    text = (ROOT / "requirements" / "run.in").read_text("utf-8")
    named = {line for line in text.splitlines() if line and line[0] not in "#-"}
    assert named == {canonicalize_name(one.name) for one in declared()}


def test_what_is_pinned_is_all_that_is_needed_and_nothing_else() -> None:
    for machine in MACHINES:
        assert {*closure(declared(), machine)} == {*pins(RUN)}


def test_what_is_pinned_is_what_is_declared_and_tested() -> None:
    run, dev = pins(RUN), pins(DEV)
    for one in declared():
        assert one.specifier.contains(run[canonicalize_name(one.name)])
    assert {name: dev[name] for name in run} == run


def test_every_pin_has_hashes_and_no_place_it_must_come_from() -> None:
    text = RUN.read_text("utf-8")
    assert len(pins(RUN)) > 20
    for part in re.split(r"^(?=\S)", text, flags=re.MULTILINE):
        assert part.startswith("#") or not part.strip() or "--hash=sha256:" in part
    assert not re.search(
        r"^-|://|index-url|find-links|trusted-host", re.sub(r"^#.*$", "", text, flags=re.MULTILINE), re.MULTILINE
    )


def test_a_wheel_may_ask_for_no_newer_library_than_debians() -> None:
    assert platforms("aarch64")[0] == "manylinux_2_36_aarch64"
    assert {"manylinux_2_28_aarch64", "manylinux2014_aarch64"} < {*platforms("aarch64")}
