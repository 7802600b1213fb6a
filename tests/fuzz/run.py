"""`python -m tests.fuzz.run SECONDS`: the coverage-guided fuzzer (atheris) over the judge.

What it finds goes into the scratch folder `.fuzz`; `python -m tests.fuzz.keep` keeps a small corpus that reaches as
much in tests/fuzz/corpus, which the test suite replays.
"""

import sys
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"
SCRATCH = Path(".fuzz")


def main(arguments: list[str]) -> None:
    """Import late: the fuzzer is installed by `make fuzz` only, and must see the engine's imports."""
    import atheris  # type: ignore[import-untyped,import-not-found,unused-ignore]  # noqa: PLC0415  see above

    with atheris.instrument_imports(include=["engine", "edge"]):
        from tests.fuzz.stream import judge  # noqa: PLC0415  see above

    SCRATCH.mkdir(exist_ok=True)
    options = [f"-max_total_time={arguments[0]}", "-max_len=512", "-rss_limit_mb=4096"]
    options += [f"-artifact_prefix={SCRATCH}/", str(SCRATCH), str(CORPUS)]
    atheris.Setup([sys.argv[0], *options], judge)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1:])
