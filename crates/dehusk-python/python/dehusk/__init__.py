"""Finds and removes the template around the content of web pages.

>>> import dehusk
>>> page = '''<title>Nets</title><nav><a href=/>Home</a> <a href=/all>All posts</a></nav>
... <main><h1>Nets</h1><p>Nets are mended in May, when the boats come home and the nights are short. Whoever has
... hands to spare sits on the quay, and the old ones tell how it was done before.</p></main>
... <footer>Harbour Notes. <a href=/privacy>Privacy</a></footer>'''
>>> found = dehusk.extract(page)
>>> found.title
'Nets'
>>> print(found.text[:38])
Nets are mended in May, when the boats

``extract`` takes one page, ``extract_many`` takes many, or an Arrow table of them. The pages of one site share a template:
``Site`` learns it, and ``clean`` learns every site of a crawl and cleans its pages. ``dehusk.spark`` does the same on Spark.
Results are those of the program ``dehusk``, byte for byte.
"""

from __future__ import annotations

from ._clean import Progress, clean, read_pages
from ._duplicates import Duplicates, duplicates
from ._errors import DehuskError, DehuskTypeError, DehuskValueError
from ._extract import Block, Extraction, extract, extract_many
from ._native import Templates, __version__
from ._records import Record, RecordGroup
from ._segment import Segment, Segmentation, segment
from ._site import Drift, KindDrift, Site

__all__ = [
    "Block",
    "DehuskError",
    "DehuskTypeError",
    "DehuskValueError",
    "Drift",
    "Duplicates",
    "Extraction",
    "KindDrift",
    "Progress",
    "Record",
    "RecordGroup",
    "Segment",
    "Segmentation",
    "Site",
    "Templates",
    "__version__",
    "clean",
    "duplicates",
    "extract",
    "extract_many",
    "read_pages",
    "segment",
]
