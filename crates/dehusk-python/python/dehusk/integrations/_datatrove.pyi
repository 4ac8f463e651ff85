"""The types of what is used of datatrove."""

from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractContextManager
from typing import IO, Any, TypeAlias

class Document:
    text: Any
    id: str
    metadata: dict[str, Any]
    def __init__(
        self, text: Any, id: str, media: list[Any] = ..., metadata: dict[str, Any] = ...
    ) -> None: ...

# Documents; theirs are of the class of datatrove, not of the one above.
Documents: TypeAlias = Iterable[Any] | None

class DataFolder:
    path: str
    def open(self, path: str, mode: str = ..., **options: Any) -> IO[Any]: ...
    def list_files(
        self, subdirectory: str = ..., recursive: bool = ..., glob_pattern: str | None = ...
    ) -> list[str]: ...
    def isfile(self, path: str) -> bool: ...
    def rm(self, path: str) -> None: ...

DataFolderLike: TypeAlias = str | tuple[str, dict[str, Any]] | tuple[str, Any] | DataFolder

def get_datafolder(data: DataFolderLike) -> DataFolder: ...

class PipelineStep:
    name: str
    type: str
    stats: Any
    def __init__(self) -> None: ...
    def stat_update(self, *labels: str, value: int = ..., unit: str | None = ...) -> None: ...
    def update_doc_stats(self, document: Document) -> None: ...
    def track_time(self, unit: str | None = ...) -> AbstractContextManager[Any]: ...
    def run(self, data: Documents, rank: int = ..., world_size: int = ...) -> Generator[Document, None, None]: ...
    def __call__(
        self, data: Documents = ..., rank: int = ..., world_size: int = ...
    ) -> Generator[Document, None, None]: ...

class BaseExtractor(PipelineStep):
    def __init__(self, timeout: float = ...) -> None: ...
    def extract(self, text: str) -> str: ...

class BaseDiskReader(PipelineStep):
    data_folder: DataFolder
    def __init__(
        self,
        data_folder: DataFolderLike,
        paths_file: Any = ...,
        limit: int = ...,
        skip: int = ...,
        file_progress: bool = ...,
        doc_progress: bool = ...,
        adapter: Callable[..., dict[str, Any]] | None = ...,
        text_key: str = ...,
        id_key: str = ...,
        default_metadata: dict[str, Any] | None = ...,
        recursive: bool = ...,
        glob_pattern: str | None = ...,
        shuffle_files: bool = ...,
    ) -> None: ...
    def get_document_from_dict(self, data: dict[str, Any], source_file: str, id_in_file: int) -> Document | None: ...
    def read_file(self, filepath: str) -> Generator[Document, None, None]: ...

class StatHints:
    total: str
    dropped: str
    forwarded: str

class _Logger:
    def info(self, message: str) -> None: ...
    def warning(self, message: str) -> None: ...

logger: _Logger
