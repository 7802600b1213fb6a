"""Where footage is watched: the two networks, opened once for many videos and only when there is one to watch."""

from functools import cached_property

from edge.pipeline import Pipeline
from edge.replay_state import Watching
from edge.table_file import TableFile
from edge.usage import UsageError
from models.shelf import ModelError, models
from vision.eyes import Eyes, open_eyes
from vision.runtime import provider_named


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
