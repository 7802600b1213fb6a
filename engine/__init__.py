"""Table events in, verdicts out: the five approved books. Pure: standard library only, no clock, no files."""
