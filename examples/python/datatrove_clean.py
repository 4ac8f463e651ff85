"""A crawl with datatrove, in two passes: the first learns the template of every site, the second extracts the content of every page.

python examples/python/datatrove_clean.py crawl/warc/ out/

Paths can be those of a bucket, as everywhere in datatrove. On a cluster, replace LocalPipelineExecutor by SlurmPipelineExecutor.
After a failure, run it again: tasks that are complete are not repeated.
"""

from __future__ import annotations

import sys

from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.writers import JsonlWriter

from dehusk.integrations.datatrove import Dehusk, LearnTemplates, SampleSites, WarcPageReader

TASKS = 2


def main(crawl: str, out: str) -> None:
    """Cleans the WARC files of the folder ``crawl`` and writes documents to ``out``."""
    # Each task samples its share of the files. Whatever the number of tasks, the samples merge to the same templates.
    sample = LocalPipelineExecutor(
        pipeline=[WarcPageReader(crawl), SampleSites(f"{out}/samples")],
        tasks=TASKS,
        logging_dir=f"{out}/logs/sample",
    )
    # Each task learns its share of the sites.
    learn = LocalPipelineExecutor(
        pipeline=[LearnTemplates(f"{out}/samples", f"{out}/templates")],
        tasks=TASKS,
        logging_dir=f"{out}/logs/learn",
        depends=sample,
    )
    clean = LocalPipelineExecutor(
        pipeline=[
            WarcPageReader(crawl),
            # A filter of URLs would be here: it needs no text. Filters of text follow the extraction.
            Dehusk(format="markdown", focus="precision", templates=f"{out}/templates"),
            JsonlWriter(f"{out}/documents"),
        ],
        tasks=TASKS,
        logging_dir=f"{out}/logs/clean",
        depends=learn,
    )
    clean.run()


if __name__ == "__main__":
    main(*sys.argv[1:])
