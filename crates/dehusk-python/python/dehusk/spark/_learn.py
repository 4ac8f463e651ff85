"""Templates of sites, from samples that are taken where the pages are and merged on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import BinaryType, IntegralType, StringType

from .._errors import DehuskValueError
from .._options import PageOptions, SiteOptions
from ._job import Job, check_frame, limit_batches, need_type, select_pages

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._native import _PageColumns

    ArrowFunction = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]

SAMPLES = "host string, sample binary, pages bigint"
TEMPLATES = "host string, template binary, pages bigint"

# The samples that a task holds before it gives them away. A site of 200 sampled pages has about a megabyte.
SAMPLE_MEMORY = 64 << 20

# A site has a sample from every partition it has pages in, which can be ten thousands. So they are merged in two steps: in so many
# groups first, and then the groups.
MERGE_GROUPS = 16


class LearnOptions(PageOptions, SiteOptions, total=False):
    """The options of ``dehusk clean`` that are about pages and sites."""


def learn(
    df: DataFrame,
    url: str = "url",
    html: str = "html",
    *,
    merge_groups: int = MERGE_GROUPS,
    **options: Unpack[LearnOptions],
) -> DataFrame:
    """Learns the template of every site: a DataFrame of ``host``, ``template`` and ``pages``.

    ``html`` is a column of text, or of binary, which is decoded as a browser does, by the column ``content_type`` if there is one. ``method``, ``site_by`` and ``seed``
    are those of ``dehusk clean``, and so are the other options. Sites of a single page have no template. The result depends neither on partitions nor on the order
    of pages. It is computed when it is used: write it to a file to use it more than once.

        templates = learn(spark.read.parquet("crawl/"))
        templates.write.parquet("templates/")

    Sets ``spark.sql.execution.arrow.maxRecordsPerBatch`` to 512 and ``spark.sql.execution.arrow.maxBytesPerBatch`` to 16 MiB for this session,
    unless they are set: pages are large, and Spark's own limits would hold gigabytes of them in memory.
    """
    job = Job.new({**options})
    return merged(sampled(df, url, html, job, merge_groups), job, to_templates=True)


def sample(
    df: DataFrame,
    url: str = "url",
    html: str = "html",
    *,
    merge_groups: int = MERGE_GROUPS,
    **options: Unpack[LearnOptions],
) -> DataFrame:
    """Samples of all sites, to learn from later: a DataFrame of ``host``, ``sample`` and ``pages``.

    A host has at most ``merge_groups`` rows. Samples of several crawls, or of parts of one, give the templates of all of their pages:

        old = spark.read.parquet("samples/2026-10/")
        new = sample(spark.read.parquet("crawl/2026-11/"))
        known = templates(old.unionByName(new))

    They must have been taken with the same options. Of pages with the same URL one is used.
    """
    job = Job.new({**options})
    return sampled(df, url, html, job, merge_groups)


def templates(samples: DataFrame, **options: Unpack[LearnOptions]) -> DataFrame:
    """Templates from samples: a DataFrame of ``host``, ``template`` and ``pages``. The options are those the samples were taken with."""
    return merged(samples, Job.new({**options}), to_templates=True)


def sampled(df: DataFrame, url: str, html: str, job: Job, merge_groups: int) -> DataFrame:
    """At most ``merge_groups`` samples of each site."""
    if not isinstance(merge_groups, int) or merge_groups < 1:
        raise DehuskValueError(f"merge_groups is {merge_groups!r}, it must be at least 1", "bad_options")
    pages, columns = select_pages(df, url, html)
    limit_batches(df.sparkSession)
    taken = pages.mapInArrow(_take_samples(job, columns), SAMPLES)
    # A task that runs again has the same number, so the groups do not change.
    groups = taken.withColumn("merge_group", F.spark_partition_id() % merge_groups)
    return _sorted_sites(groups, "merge_group").mapInArrow(_merge_samples(job, to_templates=False), SAMPLES)


def merged(samples: DataFrame, job: Job, *, to_templates: bool) -> DataFrame:
    """A row for each site."""
    check_frame(samples, "samples")
    need_type(samples, "host", (StringType,), "text")
    need_type(samples, "sample", (BinaryType,), "binary")
    need_type(samples, "pages", (IntegralType,), "an integer")
    limit_batches(samples.sparkSession)
    return _sorted_sites(samples).mapInArrow(
        _merge_samples(job, to_templates=to_templates), TEMPLATES if to_templates else SAMPLES
    )


def _sorted_sites(samples: DataFrame, *groups: str) -> DataFrame:
    """Rows of one site follow each other, so that a task holds one site at a time; nothing is grouped in memory."""
    return samples.repartition("host", *groups).sortWithinPartitions("host").select("host", "sample", "pages")


def _take_samples(job: Job, columns: _PageColumns) -> ArrowFunction:
    def take_samples(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        sampler = job.cleaner().sampler(SAMPLE_MEMORY)
        for batch in batches:
            yield from map(pa.record_batch, sampler.add(batch, columns))
        yield pa.record_batch(sampler.finish())

    return take_samples


def _merge_samples(job: Job, *, to_templates: bool) -> ArrowFunction:
    def merge_samples(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        merger = job.cleaner().merger(to_templates)
        for batch in batches:
            yield pa.record_batch(merger.add(batch))
        yield pa.record_batch(merger.finish())

    return merge_samples
