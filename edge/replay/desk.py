"""Where footage is watched: the two networks, opened once for many videos and only when there is one to watch."""

from functools import cached_property

from feltwatch.edge.config.table_file import TableFile
from feltwatch.edge.errors import UsageError
from feltwatch.edge.pipeline.pipeline import Pipeline
from feltwatch.edge.replay.job import Watching
from feltwatch.models.shipped.registry import ModelError, models
from feltwatch.vision.detection.runtime import provider_named
from feltwatch.vision.detection.still_reader import Eyes, open_eyes


class EyesDesk:
    """The pipeline with the networks that ship."""

    modules: tuple[str, ...] = ()

    def __init__(self, provider: str, threads: int) -> None:
        self.provider, self.threads = provider, threads
        try:
            provider_named(provider)
            self.models = {name: one.sha256 for name, one in models().items()}
        except ModelError as error:
            raise UsageError(str(error)) from error

    @cached_property
    def eyes(self) -> Eyes:
        try:
            return open_eyes(self.provider, self.threads)
        except ModelError as error:
            raise UsageError(str(error)) from error

    def begin(self, table: TableFile, size: tuple[int, int]) -> Pipeline:
        return Pipeline(table, size, self.eyes)

    def again(self, pipeline: Watching) -> None:
        if isinstance(pipeline, Pipeline):
            pipeline.watcher.eyes = self.eyes
