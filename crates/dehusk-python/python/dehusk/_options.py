"""The types of options. Made by ``cargo run -p dehusk-options --example generate``: do not change it here."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Literal, TypedDict

Format = Literal["text", "markdown", "html", "json", "records"]
Detector = Literal["fusion", "sitelevel", "treemap", "align", "auto", "pagelevel", "pagelevel-basic", "block", "none", "treemap-paper", "align-paper"]
Heading = Literal["auto", "keep", "drop"]
Comments = Literal["auto", "keep", "drop", "only"]
Method = Literal["sitelevel", "treemap", "align", "auto", "treemap-paper", "align-paper"]
SegmentMethod = Literal["best", "gcuts", "cclus", "sections"]
SiteBy = Literal["host", "domain", "path"]
Focus = Literal["precision", "balanced", "recall"] | float


class PageOptions(TypedDict, total=False):
    """Further options of every function that extracts pages. ``dehusk extract --help`` explains them."""

    detector: Detector
    """The detector that decides what is dropped."""
    threshold: float | None
    """For sitelevel, the share of a site's pages a part must appear on to be template [default: 0.1]; for pagelevel, the score at which
    a node is template [default: as the model says]."""
    model: str | os.PathLike[str] | None
    """A model from ``dehusk train`` for this detector, instead of the one in this program."""
    precision: float | None
    """For block: drop as much as keeps this share of the dropped blocks template, as measured on other sites [default: 0.9]."""
    recall: float | None
    """For block: drop as much as is needed to drop this share of the template blocks, as measured on other sites."""
    penalty: float | None
    """For pagelevel: the cost of a new section; a higher cost makes fewer and larger sections."""
    heading: Heading
    """Begin with the main heading of the page, whatever the detector decided; never twice."""
    comments: Comments
    """What happens to the comments of readers. Default detector only."""
    links: bool
    """False: Write the text of links, but not their targets."""
    images: bool
    """False: Leave images out."""
    include_hidden: bool
    """Also write what the page hides."""
    absolute_urls: bool
    """Make the URLs of links and images absolute, from the address of the page or its <base>. ``url`` implies it, and so does a <base>."""
    scripting: bool
    """Read pages as a browser that runs scripts does: ignore ``noscript`` elements."""
    max_bytes: int
    """Refuse pages with more bytes than this."""
    max_nodes: int
    """Stop reading a page after this many nodes."""
    max_depth: int
    """Flatten elements that are nested deeper than this."""


class SiteOptions(TypedDict, total=False):
    """What makes a site, and how its template is learned."""

    method: Method
    """Method that finds what the pages of a site share."""
    align_share: float | None
    """For align and auto: the share of the pages that must have a tag or text for it to be template [default: 0.2]."""
    site_by: SiteBy
    """Which pages form one site."""
    seed: int
    """Seed for what is chosen at random, such as the sample of pages each site is learned from."""


class CleanOptions(PageOptions, SiteOptions, total=False):
    """Further options of ``clean``. ``dehusk clean --help`` explains them."""

    templates: str | os.PathLike[str] | None
    """Template store, kept from crawl to crawl: this run starts from what it contains and adds to it."""
    learn: bool
    """False: Use the templates of ``templates`` as they are, and read the crawl only once."""
    threads: int
    """Number of threads; 0 means one per core. The result does not depend on it."""
    resume: bool
    """Continue a run that was interrupted."""
    max_output_ratio: int
    """Stop if the rows of a file have more than this many times its bytes, and more than 64 MiB; 0 means no limit."""
    overwrite: bool
    """Write to a folder that is not empty: files of the same names are replaced, others stay."""
    url_column: str
    """Column or key of JSONL and Parquet with the URL of a page."""
    html_column: str
    """Column or key with the HTML of a page."""
    id_column: str
    """Column or key with the id of a page; copied to the record."""
    carry: str | Iterable[str]
    """Column, key or WARC header field to copy to the record; can be repeated."""
