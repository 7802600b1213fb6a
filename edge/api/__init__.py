"""What `import feltwatch` gives."""


def __getattr__(name: str) -> str:
    """Look the version up when it is asked for: that reads files."""
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415  it takes longer to load than all of `feltwatch --help`

        return version("feltwatch")
    raise AttributeError(f"module 'feltwatch' has no attribute {name!r}")
