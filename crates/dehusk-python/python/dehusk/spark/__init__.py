"""Cleans crawls on Spark, with the results of the program ``dehusk``.

    from dehusk import spark as husk

    pages = spark.read.parquet("crawl/")              # columns url and html
    templates = husk.learn(pages)                     # host, template, pages
    templates.write.parquet("templates/")
    records = husk.clean(pages, spark.read.parquet("templates/"), carry=["fetched"])
    records.write.parquet("clean/")

Or in one go, ``husk.clean(pages)``. ``read_warc`` reads WARC files. ``python -m dehusk.spark IN… OUT`` is the same as a program, which
``spark-submit`` takes too. Executors need the package ``dehusk`` too.
"""

from __future__ import annotations

try:
    import pyspark  # noqa: F401
except ImportError as cause:
    raise ImportError("dehusk.spark needs PySpark 4: pip install 'dehusk[spark]'") from cause

from ._clean import clean
from ._learn import learn, sample, templates
from ._read import read_warc

__all__ = ["clean", "learn", "read_warc", "sample", "templates"]
