"""Steps for pipelines of datatrove: an extractor, a reader of WARC files, and two steps that learn the templates of sites.

Each page by itself::

    LocalPipelineExecutor([WarcPageReader("crawl/"), Dehusk(), JsonlWriter("out/")], tasks=8).run()

With the templates of the sites, which takes two passes over the crawl. The samples that the tasks take merge exactly: the templates, and with
them the results, are the same however the crawl is divided, and the same as those of the program ``dehusk clean``. ::

    sample = LocalPipelineExecutor([WarcPageReader("crawl/"), SampleSites("samples/")], tasks=8)
    learn = LocalPipelineExecutor([LearnTemplates("samples/", "templates/")], tasks=4, depends=sample)
    clean = LocalPipelineExecutor(
        [WarcPageReader("crawl/"), Dehusk(templates="templates/"), JsonlWriter("out/")], tasks=8, depends=learn
    )
    clean.run()
"""

from __future__ import annotations

import bisect
import functools
import heapq
import json
import os
import zlib
from collections import OrderedDict
from collections.abc import Generator, Iterable, Iterator, Mapping
from typing import IO, TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from .. import _native
from .._errors import DehuskTypeError, DehuskValueError, error
from .._options import Focus, Format, PageOptions, SiteBy, SiteOptions
from .._values import Key, key_of
from ._datatrove import (
    BaseDiskReader,
    BaseExtractor,
    DataFolder,
    Document,
    PipelineStep,
    StatHints,
    get_datafolder,
    logger,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._datatrove import DataFolderLike, Documents

__all__ = ["Dehusk", "LearnTemplates", "SampleSites", "WarcPageReader"]

# Documents that one call works on: enough that the call costs nothing, few enough to hold.
_BATCH_DOCUMENTS = 256
_BATCH_BYTES = 16 << 20

# A row group is what is read at once of samples, and of templates for a page of their host.
_ROW_GROUP_BYTES = 128 << 10

# Templates that a task holds, as they are in the files.
_CACHE_BYTES = 256 << 20

_COLUMNS: _native._PageColumns = {
    "html": "html",
    "url": "url",
    "content_type": "content_type",
    "id": "id",
    "carry": [],
    "needs_url": False,
}


class WarcPageReader(BaseDiskReader):
    """Reads the pages of WARC files (plain, gzip or zstd), as the program does.

    ``text`` of the documents is the page as bytes: ``Dehusk`` detects the encoding as browsers do. Their metadata has ``url``, ``date``,
    ``content_type``, ``file_path`` and ``truncated``, which is true if the crawler has cut the page. The steps between this one and
    ``Dehusk`` must not need text; filters of URLs do not. Records that cannot be read are counted as ``error_KIND``, and reading goes on
    after them.

    datatrove's own ``WarcReader`` works too. It decodes pages itself, needs libmagic, and leaves out pages that it cannot decode. The
    arguments are those of datatrove's readers.
    """

    name = "🌾 Dehusk: pages of WARC files"

    def read_file(self, filepath: str) -> Generator[Document, None, None]:
        """The pages of a file."""
        with self.data_folder.open(filepath, "rb") as file:
            carry = ["WARC-Record-ID", "WARC-Date"]
            pages = _native.Pages.of_warc(file, filepath, {"carry": carry})
            number = 0
            for batch in pages:
                for row in pa.record_batch(batch).to_pylist():
                    number += 1
                    if row["error"] is not None:
                        self.stat_update(f"error_{row['error']}")
                        continue
                    data = {
                        "text": row["html"],
                        "url": row["url"],
                        "date": row["WARC-Date"] or "",
                        "content_type": row["content_type"] or "",
                        "truncated": row["truncated"],
                    }
                    if row["WARC-Record-ID"]:
                        data["id"] = row["WARC-Record-ID"]
                    document = self.get_document_from_dict(data, filepath, number - 1)
                    if document:
                        yield document


class Dehusk(BaseExtractor):
    """Replaces the page in ``text`` by its content.

    ``text`` is the page as ``str`` or ``bytes``; the metadata of a document may have ``url``, ``content_type`` and ``truncated``. The step
    adds ``title``, ``confidence``, ``page_type`` and ``flags`` to the metadata; with ``metadata=True`` also ``page_metadata``, a dict with
    author, date, language and more, apart from the others because the ``date`` of a crawled page is the day it was fetched. Each value has
    the same type in all documents, as datatrove's ``ParquetWriter`` needs: unknown texts are empty, and flags are a text with spaces
    between them.

    ``templates`` is the folder that ``LearnTemplates`` has written, or a template store of ``dehusk clean --templates``, which is a file.
    The folder says what a site is; for a store it is ``site_by``, as it was when the store was written. Further options are those of
    ``dehusk.extract``; links stay as they are in the page, unless ``absolute_urls=True``.

    A page without content is dropped, and so is one that cannot be read. With ``keep_empty`` both stay, with an empty text, and the
    metadata has ``error`` and ``error_message``, which are empty for pages that could be read. Statistics count ``no_content`` and
    ``error_KIND``.

    datatrove's extractors run in a process of their own, to end them if they hang or crash, at a time limit for each page. This one does
    not: it bounds its work by counting it, so that it can neither hang nor depend on how busy the machine is, and a page that breaks a
    limit is an error of that page.
    """

    name = "🌾 Dehusk"

    def __init__(
        self,
        *,
        format: Format = "text",
        focus: Focus = "balanced",
        metadata: bool = False,
        templates: DataFolderLike | os.PathLike[str] | None = None,
        site_by: SiteBy = "host",
        keep_empty: bool = False,
        threads: int = 1,
        **options: Unpack[PageOptions],
    ) -> None:
        super().__init__()
        self.format = format
        self.metadata = metadata
        self.templates = os.fspath(templates) if isinstance(templates, os.PathLike) else templates
        self.site_by = site_by
        self.keep_empty = keep_empty
        self._has_warned = False
        self.threads = threads
        self.options = _plain({"format": format, "focus": focus, "metadata": metadata, **options})
        # Natives cannot be sent to another process, so each task makes its own. This one is for the errors in options.
        _native.Cleaner({**self.options, "site_by": site_by}, threads)

    def extract(self, text: str) -> str:
        """The content of one page."""
        record = _records(_cleaner(key_of(self.options)), [Document(text, "")], None)[0]
        if record["error"]:
            raise error(record["error"], record["error_message"])
        return str(record[self._column])

    @property
    def _column(self) -> str:
        return "page" if self.format == "json" else self.format

    def run(self, data: Documents, rank: int = 0, world_size: int = 1) -> Generator[Document, None, None]:
        """Extracts the documents of a task."""
        store = _open_templates(self.templates)
        site_by = store.site_by if isinstance(store, _TemplateFolder) else self.site_by
        cleaner = _native.Cleaner({**self.options, "site_by": site_by}, self.threads)
        for documents in _batches(data):
            with self.track_time("batch"):
                templates = None if store is None else store.of(_hosts(cleaner, documents))
                records = _records(cleaner, documents, templates)
            for document, record in zip(documents, records, strict=True):
                self.stat_update(StatHints.total)
                if self._replace(document, record):
                    self.stat_update(StatHints.forwarded)
                    self.update_doc_stats(document)
                    yield document
                else:
                    self.stat_update(StatHints.dropped)

    def _replace(self, document: Document, record: dict[str, Any]) -> bool:
        """Puts what was found into a document. Returns whether it goes on."""
        document.text = record[self._column] or ""
        document.metadata |= {
            "title": record["title"] or "",
            "confidence": 0.0 if record["error"] else record["confidence"],
            "page_type": record["page_type"] or "",
            "flags": " ".join(json.loads(record["flags"] or "[]")),
        }
        if self.metadata:
            document.metadata["page_metadata"] = {name: record[name] or "" for name in _METADATA}
        if self.keep_empty:
            document.metadata |= {"error": record["error"] or "", "error_message": record["error_message"] or ""}
        if record["error"]:
            self.stat_update(f"error_{record['error']}")
            if not self._has_warned:
                self._has_warned = True
                logger.warning(
                    f"{record['url'] or document.id}: {record['error_message']}. Further pages that cannot be read are only counted."
                )
            return self.keep_empty
        if not document.text:
            self.stat_update("no_content")
            return self.keep_empty
        self.stat_update("extracted")
        return True


_METADATA = (
    "author",
    "date",
    "language",
    "detected_language",
    "site_name",
    "description",
    "canonical_url",
    "page_kind",
)


class SampleOptions(PageOptions, SiteOptions, total=False):
    """What makes a site, how it is learned, and how its pages are read."""


class SampleSites(PipelineStep):
    """Takes samples of the pages of each site, from which ``LearnTemplates`` learns. The documents go on as they are.

    Each task writes its samples to ``output_folder``: one Parquet file, or more when they fill ``max_memory`` bytes. Sites are divided into
    ``buckets``, which is how many tasks can learn at once. ``method``, ``site_by`` and ``seed`` are those of ``dehusk.clean``; the later
    steps find them in the files. Other options are the limits of reading: ``scripting``, ``max_bytes``, ``max_nodes``, ``max_depth``.

    To sample another crawl, or with other options or another number of tasks, use an empty folder.
    """

    type = "🌾 - SITES"
    name = "🌾 Dehusk: samples of sites"

    def __init__(
        self,
        output_folder: DataFolderLike,
        *,
        buckets: int = 64,
        max_memory: int = 96 << 20,
        **options: Unpack[SampleOptions],
    ) -> None:
        super().__init__()
        if not 1 <= buckets <= 100_000:
            raise DehuskValueError(f"buckets is {buckets}, it must be from 1 to 100,000", "bad_options")
        self.output_folder = get_datafolder(output_folder)
        self.site_by = options.get("site_by", "host")
        self.buckets = buckets
        self.max_memory = max_memory
        self.options = _plain(options)
        _native.Cleaner(self.options)

    def run(self, data: Documents, rank: int = 0, world_size: int = 1) -> Generator[Document, None, None]:
        """Samples the documents of a task."""
        # Written last, when the samples of this task are complete. What an earlier run has left would vouch for them too soon.
        summary_name = f"{rank:05d}.json"
        if self.output_folder.isfile(summary_name):
            self.output_folder.rm(summary_name)
        sampler = _native.Cleaner(self.options).sampler(self.max_memory)
        files: dict[str, list[int]] = {}
        self._checksum = 0
        for documents in _batches(data):
            with self.track_time("batch"):
                for samples in sampler.add(_page_batch(documents), _COLUMNS):
                    self._write(samples, rank, files)
            self.stat_update(StatHints.total, value=len(documents))
            yield from documents
        self._write(sampler.finish(), rank, files)
        summary = {
            "tasks": world_size,
            "options": self.options,
            "site_by": self.site_by,
            "buckets": self.buckets,
            "checksum": self._checksum,
            "files": files,
        }
        with self.output_folder.open(summary_name, "wt") as file:
            json.dump(summary, file)

    def _write(self, samples: Any, rank: int, files: dict[str, list[int]]) -> None:
        """Writes samples as row groups of a bucket each, and notes their buckets."""
        rows = sorted(_site_rows(pa.record_batch(samples)), key=lambda row: (_bucket(row[0], self.buckets), row[0]))
        if not rows:
            return
        path = f"{rank:05d}-{len(files):05d}.parquet"
        groups: list[int] = []
        with self.output_folder.open(path, "wb") as file, _SiteWriter(file, "sample", {}) as writer:
            for row in rows:
                bucket = _bucket(row[0], self.buckets)
                if writer.has_rows and bucket != groups[-1]:
                    writer.flush()
                if not writer.has_rows:
                    groups.append(bucket)
                self.stat_update("pages_sampled", value=row[2], unit="site of a file")
                self._checksum = zlib.crc32(row[1], self._checksum)
                writer.add(row)
        files[path] = groups


class LearnTemplates(PipelineStep):
    """Merges the samples that the tasks of ``SampleSites`` have written, and writes the template of each site.

    ``output_folder`` gets a Parquet file for each bucket, with columns ``host``, ``template`` and ``pages``. A site of a single page has no
    template. A task holds a site, and of each file of samples one row group (128 KiB, or a larger sample) at a time.
    """

    type = "🌾 - SITES"
    name = "🌾 Dehusk: templates of sites"

    def __init__(self, input_folder: DataFolderLike, output_folder: DataFolderLike) -> None:
        super().__init__()
        self.input_folder = get_datafolder(input_folder)
        self.output_folder = get_datafolder(output_folder)

    def run(self, data: Documents = None, rank: int = 0, world_size: int = 1) -> Generator[Document, None, None]:
        """Learns the sites of the buckets of a task."""
        if data:
            yield from data
        tasks = self._tasks()
        buckets = tasks[0]["buckets"]
        cleaner = _native.Cleaner(tasks[0]["options"])
        files = [item for task in tasks for item in task["files"].items()]
        # Files of other samples, which an earlier run has left, do not have the same facts.
        checksum = zlib.crc32(json.dumps(tasks).encode())
        facts = {"buckets": buckets, "site_by": tasks[0]["site_by"], "samples": checksum}
        for bucket in range(rank, buckets, world_size):
            with self.track_time("bucket"), self.output_folder.open(f"{bucket:05d}.parquet", "wb") as file:
                with _SiteWriter(file, "template", facts) as writer:
                    for row in self._templates(cleaner, bucket, files):
                        self.stat_update("templates")
                        self.stat_update("pages", value=row[2], unit="site")
                        writer.add(row)

    def _tasks(self) -> list[dict[str, Any]]:
        """What the tasks of ``SampleSites`` have written."""
        where = self.input_folder.path
        names = self.input_folder.list_files(recursive=False, glob_pattern="*.json")
        tasks: list[dict[str, Any]] = []
        for name in names:
            with self.input_folder.open(name, "rt") as file:
                tasks.append(json.load(file))
        if not tasks:
            raise error("no_page", f"{where}: there are no samples of SampleSites")
        settings = ("tasks", "options", "site_by", "buckets")
        for name, task in zip(names, tasks, strict=True):
            if any(task[setting] != tasks[0][setting] for setting in settings):
                raise error(
                    "bad_samples",
                    f"{where}: {names[0]} and {name} are of different runs: sample again into an empty folder",
                )
        if len(tasks) != tasks[0]["tasks"]:
            raise error("bad_samples", f"{where}: the samples of {len(tasks)} tasks of {tasks[0]['tasks']} are complete")
        return tasks

    def _templates(
        self, cleaner: _native.Cleaner, bucket: int, files: list[tuple[str, list[int]]]
    ) -> Iterator[tuple[str, bytes, int]]:
        """The templates of a bucket, by host."""
        merger = cleaner.merger(True)
        samples = [self._samples(name, bucket, groups) for name, groups in files if bucket in groups]
        for row in heapq.merge(*samples, key=lambda row: row[0]):
            yield from _site_rows(pa.record_batch(merger.add(_site_batch("sample", [row]))))
        yield from _site_rows(pa.record_batch(merger.finish()))

    def _samples(self, name: str, bucket: int, groups: list[int]) -> Iterator[tuple[str, bytes, int]]:
        """The samples of a bucket in a file, by host."""
        footer = None
        for number, of in enumerate(groups):
            if of == bucket:
                # Opened anew each time: there can be more files than a process may have open.
                with self.input_folder.open(name, "rb") as file:
                    parquet = pq.ParquetFile(file, metadata=footer)
                    footer = parquet.metadata
                    table = parquet.read_row_group(number)
                yield from _site_rows(table)


class _SiteWriter:
    """Writes rows of sites to a Parquet file."""

    def __init__(self, file: IO[bytes], value: str, facts: dict[str, Any]) -> None:
        self._value = value
        self._rows: list[tuple[str, bytes, int]] = []
        self._bytes = 0
        schema = _site_batch(value, []).schema.with_metadata({"dehusk": json.dumps(facts)})
        self._writer = pq.ParquetWriter(file, schema, compression="zstd")

    @property
    def has_rows(self) -> bool:
        """Whether the row group that is not written yet has a row."""
        return bool(self._rows)

    def add(self, row: tuple[str, bytes, int]) -> None:
        self._rows.append(row)
        self._bytes += len(row[1])
        if self._bytes >= _ROW_GROUP_BYTES:
            self.flush()

    def flush(self) -> None:
        """Ends the row group."""
        if self._rows:
            batch = _site_batch(self._value, self._rows)
            self._writer.write_table(pa.Table.from_batches([batch]).replace_schema_metadata(self._writer.schema.metadata))
        self._rows = []
        self._bytes = 0

    def __enter__(self) -> _SiteWriter:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.flush()
            self._writer.close()


class _TemplateFile:
    """A template store of the program."""

    def __init__(self, path: str) -> None:
        self._templates = _native.Templates.open(path)

    def of(self, hosts: Iterable[str]) -> _native.Templates:
        """The templates of these hosts, and others."""
        return self._templates


class _TemplateFolder:
    """The templates that ``LearnTemplates`` has written. They are read when pages of their hosts come."""

    def __init__(self, folder: DataFolder) -> None:
        self._folder = folder
        names = folder.list_files(recursive=False, glob_pattern="*.parquet")
        if not names:
            raise error("cannot_read", f"{folder.path}: there are no templates of LearnTemplates")
        self._footers: dict[int, tuple[Any, list[str]]] = {}
        self._facts: dict[str, Any] = {}
        self._footer(0, names[0])
        facts = self._facts
        self.site_by: str = facts["site_by"]
        self._buckets: int = facts["buckets"]
        if names != [f"{bucket:05d}.parquet" for bucket in range(self._buckets)]:
            raise error("cannot_read", f"{folder.path} has {len(names)} files of templates of {self._buckets}: LearnTemplates has not ended")
        self._groups: OrderedDict[tuple[int, int], dict[str, bytes]] = OrderedDict()
        self._bytes = 0
        self._templates = _native.Templates({})

    def of(self, hosts: Iterable[str]) -> _native.Templates:
        """The templates of these hosts, and others."""
        needed: dict[tuple[int, int], None] = {}
        for host in hosts:
            bucket = _bucket(host, self._buckets)
            last_hosts = self._footer(bucket, f"{bucket:05d}.parquet")[1]
            group = bisect.bisect_left(last_hosts, host)
            if group < len(last_hosts):
                needed[bucket, group] = None
        missing = sorted(key for key in needed if key not in self._groups)
        for key in needed:
            if key in self._groups:
                self._groups.move_to_end(key)
        for key in missing:
            self._groups[key] = self._read(*key)
            self._bytes += sum(map(len, self._groups[key].values()))
        while self._bytes > _CACHE_BYTES and next(iter(self._groups)) not in needed:
            _, oldest = self._groups.popitem(last=False)
            self._bytes -= sum(map(len, oldest.values()))
        if missing:
            self._templates = _native.Templates(
                {host: template for group in self._groups.values() for host, template in group.items()}
            )
        return self._templates

    def _footer(self, bucket: int, name: str) -> tuple[Any, list[str]]:
        """The footer of a file, and the last host of each of its row groups."""
        if bucket not in self._footers:
            with self._folder.open(name, "rb") as file:
                parquet = pq.ParquetFile(file)
                footer = parquet.metadata
                facts = json.loads((footer.metadata or {}).get(b"dehusk", b"null"))
                self._facts = self._facts or facts or {}
                if not facts or facts != self._facts:
                    raise error("cannot_read", f"{self._folder.path}: {name} is not of the same run of LearnTemplates as the others")
                self._footers[bucket] = footer, [_last_host(parquet, group) for group in range(footer.num_row_groups)]
        return self._footers[bucket]

    def _read(self, bucket: int, group: int) -> dict[str, bytes]:
        name = f"{bucket:05d}.parquet"
        with self._folder.open(name, "rb") as file:
            table = pq.ParquetFile(file, metadata=self._footer(bucket, name)[0]).read_row_group(group)
        return {host: template for host, template, _ in _site_rows(table)}


def _last_host(parquet: Any, group: int) -> str:
    """The last host of a row group. Statistics leave out what is very long."""
    statistics = parquet.metadata.row_group(group).column(0).statistics
    if statistics is not None and statistics.has_min_max:
        return str(statistics.max)
    return str(parquet.read_row_group(group, columns=["host"]).column(0)[-1])


def _open_templates(templates: DataFolderLike | None) -> _TemplateFile | _TemplateFolder | None:
    if templates is None:
        return None
    if isinstance(templates, str) and os.path.isfile(templates):
        return _TemplateFile(templates)
    if isinstance(templates, _native.Templates):
        raise DehuskTypeError("templates is a path: tasks open the templates themselves", "bad_type")
    return _TemplateFolder(get_datafolder(templates))


@functools.lru_cache(maxsize=8)
def _cleaner(options: Key) -> _native.Cleaner:
    """For calls of ``extract``, which would otherwise read the model each time."""
    return _native.Cleaner(dict(options))


def _plain(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options that can be sent to another process, and written to a file."""
    values = {name: os.fspath(value) if isinstance(value, os.PathLike) else value for name, value in options.items()}
    return {name: value if isinstance(value, (str, int, float, bool)) else list(value) for name, value in values.items() if value is not None}


def _bucket(host: str, buckets: int) -> int:
    """The bucket of a host, the same in every process and for ever."""
    return zlib.crc32(host.encode()) % buckets


def _site_rows(table: Any) -> Iterator[tuple[str, bytes, int]]:
    """Rows of a host, its sample or template, and its pages."""
    return zip(*(table.column(number).to_pylist() for number in range(3)), strict=True)


def _site_batch(value: str, rows: list[tuple[str, bytes, int]]) -> Any:
    schema = pa.schema([("host", pa.string()), (value, pa.binary()), ("pages", pa.int64())])
    columns = zip(*rows, strict=True) if rows else ([], [], [])
    return pa.record_batch([pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)], schema=schema)


def _batches(data: Documents) -> Iterator[list[Document]]:
    """Documents in batches of bounded size."""
    batch: list[Document] = []
    size = 0
    for document in data or ():
        batch.append(document)
        size += len(document.text) if isinstance(document.text, (str, bytes)) else 0
        if len(batch) >= _BATCH_DOCUMENTS or size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _page_batch(documents: list[Document]) -> Any:
    """Documents as a batch of pages."""
    rows = [_page(document) for document in documents]
    types = [
        ("html", pa.large_binary()),
        ("url", pa.string()),
        ("content_type", pa.string()),
        ("truncated", pa.bool_()),
        ("error", pa.string()),
        ("error_message", pa.string()),
    ]
    return pa.RecordBatch.from_pylist(rows, schema=pa.schema(types))


def _page(document: Document) -> dict[str, Any]:
    page: dict[str, Any] = {
        "url": _text(document.metadata.get("url")),
        "truncated": document.metadata.get("truncated") is True,
    }
    html = document.text
    if isinstance(html, str):
        # As text it is UTF-8, whatever the page says of itself.
        page["content_type"] = "text/html; charset=utf-8"
        try:
            page["html"] = html.encode()
        except UnicodeEncodeError:
            page |= {"error": "bad_text", "error_message": "the page is text with lone surrogates, which no encoding has"}
    elif isinstance(html, bytes):
        page["content_type"] = _text(document.metadata.get("content_type"))
        page["html"] = html
    else:
        page |= {"error": "bad_type", "error_message": f"a page is str or bytes, not {type(html).__name__}"}
    return page


def _text(value: object) -> str | None:
    """A value of the metadata if it is text that Arrow can hold."""
    if not isinstance(value, str):
        return None
    return value.encode("utf-8", "replace").decode()


def _hosts(cleaner: _native.Cleaner, documents: list[Document]) -> list[str]:
    urls = [_text(document.metadata.get("url")) for document in documents]
    hosts = pa.array(cleaner.hosts(pa.array([url for url in urls if url], pa.string()))).to_pylist()
    return sorted(set(hosts))


def _records(
    cleaner: _native.Cleaner, documents: list[Document], templates: _native.Templates | None
) -> list[dict[str, Any]]:
    """The record of each document, as the program writes it."""
    records: list[dict[str, Any]] = pa.table(cleaner.clean(_page_batch(documents), _COLUMNS, templates)).to_pylist()
    return records
