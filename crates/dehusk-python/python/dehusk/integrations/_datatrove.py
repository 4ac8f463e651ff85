"""What is used of datatrove. It has no types; those of these names are in the stub beside this file."""

from __future__ import annotations

try:
    from datatrove.data import Document
    from datatrove.io import DataFolder, get_datafolder
    from datatrove.pipeline.base import PipelineStep
    from datatrove.pipeline.extractors.base import BaseExtractor
    from datatrove.pipeline.readers.base import BaseDiskReader
    from datatrove.utils.logging import logger
    from datatrove.utils.typeshelper import StatHints
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        f"dehusk.integrations.datatrove needs {missing.name}: pip install 'dehusk[datatrove]'", name=missing.name
    ) from missing

__all__ = [
    "BaseDiskReader",
    "BaseExtractor",
    "DataFolder",
    "Document",
    "PipelineStep",
    "StatHints",
    "get_datafolder",
    "logger",
]
