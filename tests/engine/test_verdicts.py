"""A line of JSON becomes a verdict, or is refused."""

import pytest

from feltwatch.engine.model.verdicts import decode


@pytest.mark.parametrize("line", ['{"verdict":"fortune","t":1}', '{"t":1}', "[]", '{"verdict":"round-started","t":1}'])
def test_a_line_that_holds_no_verdict_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="expected a verdict, found"):
        decode(line)
