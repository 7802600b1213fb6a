"""The two networks, opened once for many tables and only when there is a frame to look at."""

from collections.abc import Callable, Mapping
from functools import cached_property

from feltwatch.edge.config.table_file import TableFile
from feltwatch.edge.errors import UsageError
from feltwatch.edge.pipeline.table_pipeline import TablePipeline
from feltwatch.edge.pipeline.table_state import TableState
from feltwatch.models.shipped.registry import ModelError, models
from feltwatch.vision.detection.runtime import provider_named
from feltwatch.vision.detection.still_reader import StillReader, open_eyes


class Networks:
    """The networks that ship. Tests give others."""

    modules: tuple[str, ...] = ()  # beside ours, that hold the classes of a pipeline

    def __init__(self, provider: str, threads: int) -> None:
        self.provider, self.threads = provider, threads
        try:
            provider_named(provider)
            self.models: Mapping[str, str] = {name: one.sha256 for name, one in models().items()}
        except ModelError as error:
            raise UsageError(str(error)) from error

    @cached_property
    def eyes(self) -> StillReader:
        try:
            return open_eyes(self.provider, self.threads)
        except ModelError as error:
            raise UsageError(str(error)) from error

    def pipeline(self, table: TableFile, state: TableState | None = None) -> TablePipeline:
        """Begin to watch a table, or go on from the state of an earlier run."""
        return TablePipeline(table, self.eyes, state)

    def resume(self, pipeline: TablePipeline, table: TableFile) -> None:
        """Go on with a pipeline that comes out of a file."""
        pipeline.resume(table, self.eyes)


OpenNetworks = Callable[[str, int], Networks]  # with a provider and a number of threads
