"""Records of pages, with the templates of their sites."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd
import pyarrow as pa
import pyarrow.compute
from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.functions import pandas_udf
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import BinaryType, IntegralType, StringType, StructField, StructType

from .. import _native
from .._errors import DehuskTypeError, DehuskValueError
from .._options import Focus, Format
from ._job import Job, column, limit_batches, need_type, select_pages
from ._learn import MERGE_GROUPS, LearnOptions, merged, sampled

if TYPE_CHECKING:
    from pyspark.sql import Column
    from typing_extensions import Unpack

    from .._native import _PageColumns
    from ._learn import ArrowFunction

# Most of its functions are made when it is imported, where type checkers do not find them.
pc: Any = pyarrow.compute

# What a site costs in memory besides its template, about.
_SITE_BYTES = 100
# Pages without a site never wait for a template: they go anywhere.
_ANYWHERE = 1 << 20

# Columns of the join. Those of pages come from the user, and could have any other name.
_HOST, _SALT, _KIND, _TEMPLATE = "__dehusk_host", "__dehusk_salt", "__dehusk_kind", "__dehusk_template"


def clean(
    df: DataFrame,
    templates: DataFrame | Literal[False] | None = None,
    *,
    url: str = "url",
    html: str = "html",
    id: str = "id",
    carry: Iterable[str] = (),
    format: Format | Iterable[Format] = "text",
    focus: Focus = "balanced",
    metadata: bool = False,
    broadcast_bytes: int = 64 << 20,
    salt_pages: int = 10_000,
    count_pages: bool = False,
    **options: Unpack[LearnOptions],
) -> DataFrame:
    """The record of every page, with the columns of the program's Parquet output and those named by ``carry``.

    ``templates`` come from ``learn``; ``None`` learns them from ``df``, at once, which reads ``df`` twice, and ``False`` takes every page by itself. A page that
    cannot be read, a null among them, has a record with an ``error``. The columns ``content_type``, ``truncated``, ``error`` and ``error_message``
    are used if they are there, as ``read_warc`` gives them. A column ``id`` is kept, and every carried column keeps its type; one that is named like a column
    of the record becomes ``carried_NAME``.

        records = clean(spark.read.parquet("crawl/"), spark.read.parquet("templates/"), format=["text", "markdown"], carry=["fetched"])

    While all templates have at most ``broadcast_bytes`` together, every task gets them, and pages stay where they are. Beyond that, pages and templates are
    brought together by their hosts, in a shuffle. Then the pages of a host with more than ``salt_pages`` pages are spread over several tasks. How many
    pages a host has is taken from the column ``pages`` of the templates; if those are of another crawl, ``count_pages=True`` counts the pages of ``df`` instead,
    by their URLs. The records are the same in all of these ways; their order is not.

    Sets ``spark.sql.execution.arrow.maxRecordsPerBatch`` to 512 and ``spark.sql.execution.arrow.maxBytesPerBatch`` to 16 MiB for this session, unless
    they are set. An option that names a file, such as ``model``, needs that file on every executor.
    """
    pages, columns = select_pages(df, url, html, id, carry)
    for name, number in (("broadcast_bytes", broadcast_bytes), ("salt_pages", salt_pages)):
        if not isinstance(number, int) or number < (name == "salt_pages"):
            raise DehuskValueError(f"{name} cannot be {number!r}", "bad_options")
    job = Job.new({"format": format, "focus": focus, "metadata": metadata, **options})
    limit_batches(df.sparkSession)
    schema = _record_schema(pages, columns, job)
    if templates is False:
        return pages.mapInArrow(_clean_with({}, job, columns), schema)

    learned = templates is None
    if templates is None:
        templates = _kept(merged(sampled(df, url, html, job, MERGE_GROUPS), job, to_templates=True))
    _check_templates(templates)
    size, nameless = _sizes(templates)
    if size <= broadcast_bytes:
        files = _files(templates)
        if learned:
            templates.unpersist()
        return pages.mapInArrow(_clean_with(files, job, columns), schema)
    salts = _salts(pages if count_pages else None, templates, salt_pages, job, url)
    if nameless == 0:
        salts[""] = _ANYWHERE
    return _joined(pages, columns, templates, salts, job).mapInArrow(_clean_joined(job, columns, pages.columns), schema)


def _kept(templates: DataFrame) -> DataFrame:
    """Templates that several jobs use, on disk: to learn again would read all pages."""
    # Otherwise Spark would give a small crawl hundreds of empty tasks, because it keeps the partitions of what it caches.
    key, conf = "spark.sql.optimizer.canChangeCachedPlanOutputPartitioning", templates.sparkSession.conf
    before = conf.getAll.get(key)
    conf.set(key, "true")
    try:
        return templates.persist(StorageLevel.DISK_ONLY)
    finally:
        if before is None:
            conf.unset(key)
        else:
            conf.set(key, before)


def _record_schema(pages: DataFrame, columns: _PageColumns, job: Job) -> StructType:
    """The columns of records, those of the input with their own types."""
    has_id = columns["id"] in pages.columns
    taken = [*([columns["id"]] if has_id else []), *columns["carry"]]
    # Only the names are asked for here, so that a type that Arrow does not have raises its exception where it is used.
    fields = dict.fromkeys(taken, pa.null()) | {columns["url"]: pa.string(), columns["html"]: pa.string()}
    empty = pa.schema(list(fields.items())).empty_table()
    names = pa.table(job.cleaner().clean(empty, columns)).schema
    out = list(from_arrow_schema(pa.schema([pa.field(field.name, _plain(field.type)) for field in names])))
    if has_id:
        out[0] = StructField("id", pages.schema[columns["id"]].dataType)
    for place, name in enumerate(columns["carry"], start=len(out) - len(columns["carry"])):
        out[place] = StructField(names[place].name, pages.schema[name].dataType)
    return StructType(out)


def _plain(kind: pa.DataType) -> pa.DataType:
    return pa.string() if pa.types.is_null(kind) else kind


def _check_templates(templates: object) -> None:
    if not isinstance(templates, DataFrame):
        raise DehuskTypeError(f"templates is a DataFrame, None or False, not {type(templates).__name__}", "bad_type")
    need_type(templates, "host", (StringType,), "text")
    need_type(templates, "template", (BinaryType,), "binary")


def _sizes(templates: DataFrame) -> tuple[int, int]:
    """About how many bytes all templates have in memory, and how many are of pages without a host."""
    size = F.sum(F.length("template") + F.length("host") + _SITE_BYTES)
    row = templates.agg(size, F.count_if(F.col("host") == "")).first()
    return (0, 0) if row is None else (row[0] or 0, row[1])


def _two_templates(host: str) -> DehuskValueError:
    message = f"the host {host!r} has two templates; to learn from several crawls, take samples and unite those"
    return DehuskValueError(message, "bad_template")


def _files(templates: DataFrame) -> dict[str, bytes]:
    """All templates by host, on the driver."""
    files: dict[str, bytes] = {}
    for batch in templates.select("host", "template").toArrow().to_batches():
        for host, template in zip(batch["host"].to_pylist(), batch["template"].to_pylist(), strict=True):
            if host in files:
                raise _two_templates(host)
            files[host] = template
    return files


def _clean_with(files: dict[str, bytes], job: Job, columns: _PageColumns) -> ArrowFunction:
    def clean_with(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        cleaner, templates = job.cleaner(), _native.Templates(files)
        for batch in batches:
            yield from pa.table(cleaner.clean(batch, columns, templates)).to_batches()

    return clean_with


def _salts(pages: DataFrame | None, templates: DataFrame, salt_pages: int, job: Job, url: str) -> dict[str, int]:
    """Into how many parts the pages of large hosts are divided."""
    if pages is None:
        need_type(templates, "pages", (IntegralType,), "an integer")
        counts = templates.select("host", "pages")
    else:
        host = _host_and_salts(job, {})(_valid(url))["host"]
        counts = pages.groupBy(host.alias("host")).agg(F.count("*").alias("pages"))
    large = counts.filter(F.col("pages") > salt_pages)
    return {row.host: math.ceil(row.pages / salt_pages) for row in large.collect()}


def _valid(url: str) -> Column:
    """URLs that are UTF-8; a text of Spark can hold other bytes."""
    return F.try_validate_utf8(column(url))


def _host_and_salts(job: Job, salts: dict[str, int]) -> Callable[..., Any]:
    """A function of URLs, in batches. Only URLs go to Python for it."""

    def host_and_salts(urls: pd.Series) -> pd.DataFrame:
        known = pa.array(urls, pa.string(), from_pandas=True).fill_null("")
        hosts = pa.array(job.cleaner().hosts(known))
        return pd.DataFrame({"host": hosts.to_pandas(), "salts": _salts_of(hosts, salts).to_pandas()})

    # The stubs of PySpark do not know that type hints say what kind of function it is.
    return pandas_udf(host_and_salts, "host string, salts int")  # type: ignore[call-overload, no-any-return]


def _salts_of(hosts: pa.Array, salts: dict[str, int]) -> pa.Array:
    places = pc.index_in(hosts, pa.array(list(salts), pa.string()))
    return pc.fill_null(pa.array(list(salts.values()), pa.int32()).take(places), 1)


def _joined(pages: DataFrame, columns: _PageColumns, templates: DataFrame, salts: dict[str, int], job: Job) -> DataFrame:
    """Pages and templates, those of a host together and its template first."""
    found = _host_and_salts(job, salts)(_valid(columns["url"]))
    # The partition counts too, or copies of one URL would all go to one task. It is the same when a task runs again.
    salt = F.pmod(F.xxhash64(column(columns["url"]), F.spark_partition_id()), F.col("__dehusk_found.salts"))
    rows = pages.withColumn("__dehusk_found", found).select(
        F.col("__dehusk_found.host").alias(_HOST),
        salt.cast("int").alias(_SALT),
        F.lit(1).alias(_KIND),
        *[column(name) for name in pages.columns],
    )
    copies = pandas_udf(_copies(salts), "int")  # type: ignore[call-overload]
    files = templates.select(F.col("host").alias(_HOST), F.col("template").alias(_TEMPLATE)).select(
        _HOST,
        F.explode(F.sequence(F.lit(0), copies(F.col(_HOST)) - 1)).alias(_SALT),
        F.lit(0).alias(_KIND),
        _TEMPLATE,
    )
    both = rows.unionByName(files, allowMissingColumns=True)
    return both.repartition(_HOST, _SALT).sortWithinPartitions(_HOST, _SALT, _KIND)


def _copies(salts: dict[str, int]) -> Callable[[pd.Series], pd.Series]:
    def copies(hosts: pd.Series) -> pd.Series:
        found: pd.Series = _salts_of(pa.array(hosts, pa.string()), salts).to_pandas()
        return found

    return copies


def _clean_joined(job: Job, columns: _PageColumns, names: list[str]) -> ArrowFunction:
    def clean_joined(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        cleaner = job.cleaner()
        last: tuple[str, int, bytes] | None = None
        templates = _native.Templates({})
        for batch in batches:
            is_page = pc.equal(batch[_KIND], 1)
            found = batch.select([_HOST, _SALT, _TEMPLATE]).filter(pc.invert(is_page))
            if found.num_rows > 0:
                # Only the last template can have pages in the next batch.
                files = {} if last is None else {last[0]: last[2]}
                for row in found.to_pylist():
                    row_host, row_salt = row[_HOST], row[_SALT]
                    if last is not None and last[:2] == (row_host, row_salt):
                        raise _two_templates(row_host)
                    last = (row_host, row_salt, row[_TEMPLATE])
                    files[row_host] = row[_TEMPLATE]
                templates = _native.Templates(files)
            pages = batch.select(names) if found.num_rows == 0 else batch.select(names).filter(is_page)
            yield from pa.table(cleaner.clean(pages, columns, templates)).to_batches()

    return clean_joined
