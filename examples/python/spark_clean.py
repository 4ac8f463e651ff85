"""A crawl on Spark: learns the template of every host, then cleans every page with it.

python examples/python/spark_clean.py crawl/pages.parquet out/

The input has columns `url` and `html`. With spark-submit it runs on a cluster as it is; `python -m dehusk.spark IN OUT` does the same with all options.
"""

from __future__ import annotations

import sys

import dehusk.spark
from pyspark.sql import SparkSession
from pyspark.sql import functions as f


def main(source: str, out: str) -> None:
    """Cleans the pages of ``source`` and writes their records to ``out``."""
    spark = SparkSession.builder.appName("dehusk").getOrCreate()
    pages = spark.read.parquet(source)

    # host, template, pages. The tasks take samples, which merge exactly: however the crawl is divided, the templates are the same.
    templates = dehusk.spark.learn(pages, url="url", html="html")
    # Templates are used again: for the pages of this crawl, and for later ones of the same hosts.
    templates.write.mode("overwrite").parquet(f"{out}/templates")
    templates = spark.read.parquet(f"{out}/templates")

    records = dehusk.spark.clean(pages, templates=templates)
    records.write.mode("overwrite").parquet(f"{out}/records")

    written = spark.read.parquet(f"{out}/records")
    written.groupBy("host").agg(f.count("*").alias("pages"), f.avg("confidence").alias("confidence")).show()
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
