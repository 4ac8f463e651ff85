"""The program: ``python -m dehusk.spark IN… OUT``, which ``spark-submit`` takes too.

``spark-submit`` needs a file, which is this one: ``spark-submit "$(python -c 'import dehusk.spark.__main__ as m; print(m.__file__)')" IN… OUT``.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any, NoReturn

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StringType, StructField, StructType

# spark-submit runs this file by itself, where a relative import has no package to start from.
from dehusk import DehuskError, _native
from dehusk import spark as husk

if TYPE_CHECKING:
    from collections.abc import Sequence

_ENDINGS = {
    ".parquet": "parquet",
    ".jsonl": "jsonl",
    ".jsonl.gz": "jsonl",
    ".json": "jsonl",
    ".warc": "warc",
    ".warc.gz": "warc",
    ".warc.zst": "warc",
}
_CORRUPT = "__dehusk_corrupt"

_OPTIONS: list[dict[str, Any]] = json.loads(_native.spark_options())
_GROUPS = {"sites": "Sites", "pages": "Pages", "columns": "Columns"}
_GROUP_OF = {"sites": "sites", "detector": "pages", "content": "pages", "reading": "pages", "columns": "columns", "run": "run"}


class Stop(Exception):
    """The job cannot run, or has no result. The text is for people."""


def parser() -> argparse.ArgumentParser:
    """The arguments."""
    out = argparse.ArgumentParser(
        prog="dehusk.spark",
        description="Learns every site of a crawl and cleans its pages, on Spark. The options that `dehusk clean` has too mean the same there.",
    )
    out.add_argument("inputs", nargs="+", metavar="IN", help="Parquet, JSON lines or WARC: files, folders or patterns, all of one format")
    out.add_argument("output", metavar="OUT", help="folder for Parquet files; complete if it has a file _SUCCESS")
    out.add_argument("--input-format", choices=["parquet", "jsonl", "warc"], help="[default: by the ending of IN]")
    out.add_argument("--overwrite", action="store_true", help="replace OUT, and what --templates names unless --no-learn")

    groups = {name: out.add_argument_group(title) for name, title in _GROUPS.items()}
    sites = groups["sites"]
    sites.add_argument("--templates", metavar="PATH", help="Parquet folder: templates are learned and written there; with --no-learn, read")
    sites.add_argument("--no-learn", action="store_true", help="use the templates of --templates; without that, every page by itself")
    for option in _OPTIONS:
        add_option(groups.get(_GROUP_OF[option["topic"]], out), option)

    size = out.add_argument_group("Sizes")
    size.add_argument("--pages-per-file", type=int, metavar="N", help="no output file has more pages than this")
    size.add_argument("--partition-bytes", type=int, metavar="N", help="bytes of Parquet or JSON lines that a task reads [default: 32 MiB]")
    size.add_argument("--partitions", type=int, metavar="N", help="tasks of a shuffle, and at most so many that read WARC [default: as the session has it]")
    size.add_argument("--broadcast-bytes", type=int, default=64 << 20, metavar="N", help="templates of so many bytes go to every task [default: 64 MiB]")
    size.add_argument("--salt-pages", type=int, default=10_000, metavar="N", help="pages of a host that one task cleans, if pages are shuffled [default: 10000]")
    size.add_argument("--count-pages", action="store_true", help="count the pages of hosts instead of believing the templates")
    return out


def add_option(group: argparse._ActionsContainer, option: dict[str, Any]) -> None:
    """Adds an option of the table that all surfaces share. Values are checked where they are used."""
    names = [f"-{option['short']}"] if option["short"] else []
    names.append("--" + option["name"].replace("_", "-"))
    help = option["help"].replace("%", "%%")
    if option["kind"] == "flag":
        group.add_argument(*names, action="store_true", help=help)
        return
    if option["choices"]:
        help = f"{help} One of {', '.join(option['choices'])}."
    if option["default"] is not None:
        help = f"{help} [default: {option['default']}]"
    # What is not given is None, so that the table has the only default.
    action = "append" if option["is_list"] else "store"
    group.add_argument(*names, action=action, metavar=option["value_name"], help=help)


def keywords(given: argparse.Namespace, *topics: str) -> dict[str, Any]:
    """The options of some topics that were given, as the functions of this package take them."""
    options: dict[str, Any] = {}
    for option in _OPTIONS:
        value = getattr(given, option["name"])
        if option["topic"] not in topics or value is None or value is False:
            continue
        name = option["opposite"]
        options[name or option["name"]] = not value if name else value
    return options


def session(given: argparse.Namespace) -> SparkSession:
    """The session. What spark-submit has set stays as it is."""
    builder: SparkSession.Builder = SparkSession.builder
    spark = builder.appName("dehusk").getOrCreate()
    settings = {
        # A batch of Spark's reader is in memory as a whole, and its default of 4096 pages can be a gigabyte.
        "spark.sql.parquet.columnarReaderBatchSize": "256",
        "spark.sql.files.maxPartitionBytes": str(given.partition_bytes or 32 << 20),
        # Carried timestamps keep their type; Spark's own choice is the old INT96.
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    }
    known = spark.conf.getAll
    for key, value in settings.items():
        if key not in known or (key.endswith("maxPartitionBytes") and given.partition_bytes):
            spark.conf.set(key, value)
    if given.partitions:
        spark.conf.set("spark.sql.shuffle.partitions", str(given.partitions))
    return spark


def input_format(given: argparse.Namespace) -> str:
    """By the endings of the inputs; a folder without an ending is Parquet."""
    if given.input_format:
        return str(given.input_format)
    found = set()
    for name in given.inputs:
        last = name.rstrip("/").rpartition("/")[2].lower()
        if last.endswith((".jsonl.zst", ".json.zst")):
            raise Stop(f"{name}: Spark does not read JSON lines in zstd; use gzip, or Parquet")
        endings = [kind for ending, kind in _ENDINGS.items() if last.endswith(ending)]
        if not endings and "." in last.strip("*"):
            raise Stop(f"{name}: what format is this? Name it with --input-format")
        found.add(endings[0] if endings else "parquet")
    if len(found) > 1:
        raise Stop(f"the inputs are of several formats ({', '.join(sorted(found))}); clean them one after the other")
    return found.pop()


def read(spark: SparkSession, given: argparse.Namespace) -> DataFrame:
    """The pages."""
    kind = input_format(given)
    carry = given.carry or []
    if kind == "warc":
        return husk.read_warc(spark, given.inputs, carry=carry, max_bytes=given.max_bytes, partitions=given.partitions)
    if kind == "parquet":
        return spark.read.parquet(*given.inputs)
    # A schema, or Spark would read everything once more to find one.
    columns = [given.url_column or "url", given.html_column or "html", given.id_column or "id"]
    names = dict.fromkeys([*columns, *carry, _CORRUPT])
    schema = StructType([StructField(name, StringType()) for name in names])
    lines = spark.read.schema(schema).option("columnNameOfCorruptRecord", _CORRUPT).json(given.inputs)
    bad = F.col(_CORRUPT).isNotNull()
    return lines.withColumns(
        {
            "error": F.when(bad, "bad_json"),
            "error_message": F.when(bad, F.concat(F.col("_metadata.file_path"), F.lit(": this line is not a JSON object"))),
        }
    ).drop(_CORRUPT)


def exists(spark: SparkSession, path: str) -> bool:
    """Whether there is such a file or folder, in whatever file system."""
    context: Any = spark.sparkContext
    target = context._jvm.org.apache.hadoop.fs.Path(path)
    return bool(target.getFileSystem(context._jsc.hadoopConfiguration()).exists(target))


def check_folder(spark: SparkSession, path: str, overwrite: bool) -> None:
    """Stops unless a folder can be written."""
    if overwrite or not exists(spark, path):
        return
    if exists(spark, f"{path.rstrip('/')}/_SUCCESS"):
        raise Stop(f"{path} exists; --overwrite replaces it")
    raise Stop(f"{path} exists and is not complete: a job was interrupted, or is running. --overwrite replaces it")


def write(df: DataFrame, path: str, overwrite: bool, pages_per_file: int | None = None) -> None:
    """Writes all or nothing: files are moved to the folder when every task has succeeded, and _SUCCESS comes last."""
    writer = df.write.mode("overwrite" if overwrite else "errorifexists")
    writer = writer.option("mapreduce.fileoutputcommitter.algorithm.version", "1")
    writer = writer.option("mapreduce.fileoutputcommitter.marksuccessfuljobs", "true")
    if pages_per_file:
        writer = writer.option("maxRecordsPerFile", pages_per_file)
    writer.parquet(path)


def run(given: argparse.Namespace) -> int:
    """The job. Returns the exit code."""
    learn = not given.no_learn
    sites = keywords(given, "sites")
    options = keywords(given, "detector", "content", "reading")
    columns = {name.removesuffix("_column"): value for name, value in keywords(given, "columns").items()}
    # A session that was there before belongs to someone else.
    is_own = SparkSession.getActiveSession() is None
    spark = session(given)
    try:
        check_folder(spark, given.output, given.overwrite)
        if learn and given.templates:
            check_folder(spark, given.templates, given.overwrite)
        pages = read(spark, given)
        templates: DataFrame | bool | None = None
        if given.templates:
            if learn:
                where = {name: columns[name] for name in ("url", "html") if name in columns}
                # How content is written does not matter for learning.
                learned = husk.learn(pages, **where, **sites, **keywords(given, "detector", "reading"))
                write(learned, given.templates, given.overwrite)
            templates = spark.read.parquet(given.templates)
        elif not learn:
            templates = False
        records = husk.clean(
            pages,
            templates,  # type: ignore[arg-type]
            broadcast_bytes=given.broadcast_bytes,
            salt_pages=given.salt_pages,
            count_pages=given.count_pages,
            **columns,
            **sites,
            **options,
        )
        write(records, given.output, given.overwrite, given.pages_per_file)
        counts = spark.read.parquet(given.output).agg(F.count("*"), F.count("error")).first()
    finally:
        if is_own:
            spark.stop()
    total, failed = counts if counts is not None else (0, 0)
    print(f"{total} pages, {failed} could not be read", file=sys.stderr)
    if total == failed:
        raise Stop("no page could be read")
    return 1 if failed and given.strict else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the program. Exit codes are those of ``dehusk clean``."""
    try:
        return run(parser().parse_args(arguments))
    except (Stop, DehuskError) as problem:
        return fail(str(problem))
    except PySparkException as problem:
        return fail(f"Spark: {str(problem).strip()}")


def fail(message: str) -> int:
    """Prints what is wrong."""
    print(f"dehusk.spark: {message}", file=sys.stderr)
    return 2


def end() -> NoReturn:
    """For spark-submit, which runs this file."""
    sys.exit(main())


if __name__ == "__main__":
    end()
