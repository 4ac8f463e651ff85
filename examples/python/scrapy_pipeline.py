"""A Scrapy item pipeline that extracts the content of pages and learns the sites they are of, and a spider that uses it.

python examples/python/scrapy_pipeline.py https://a.example/ pages.jsonl

In a project of your own, put `DehuskPipeline` into ITEM_PIPELINES and let the spider yield items with `url`, `html` and `content_type`.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import scrapy
from scrapy.crawler import Crawler, CrawlerProcess
from scrapy.exceptions import DropItem
from scrapy.http import Response, TextResponse
from scrapy.linkextractors import LinkExtractor

import dehusk

# Pages of a host that are learned at once. Until then its pages are extracted one by one, which works well; the template makes it better.
LEARN_PAGES = 8
# No host is learned from more: its template does not change much any more.
MAX_PAGES = 96


class DehuskPipeline:
    """Replaces `html` of an item by `text`, `title` and more. Keeps a dehusk.Site for each host."""

    def __init__(self, folder: str | None) -> None:
        # Templates stay in this folder from crawl to crawl.
        self.folder = Path(folder) if folder else None
        self.sites: dict[str, dehusk.Site] = {}
        # Hosts whose sites are of an earlier crawl.
        self.known: set[str] = set()
        self.pages: dict[str, list[tuple[str, bytes]]] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> DehuskPipeline:
        """Scrapy makes the pipeline this way."""
        return cls(crawler.settings.get("DEHUSK_TEMPLATES"))

    def process_item(self, item: dict[str, Any]) -> dict[str, Any]:
        """Extracts a page. It takes some milliseconds, about as long as Scrapy needs to find its links."""
        url, html = item["url"], item.pop("html")
        host = urlsplit(url).netloc
        try:
            found = dehusk.extract(
                html,
                url=url,
                content_type=item.pop("content_type", None),
                template=self.site(host, url, html),
                format="markdown",
                metadata=True,
            )
        except dehusk.DehuskError as error:
            raise DropItem(f"{url}: {error}") from error
        site = self.sites.get(host)
        return item | {
            "title": found.title,
            "text": found.text,
            "confidence": found.confidence,
            "page_type": found.page_type,
            "date": (found.metadata or {}).get("date"),
            "template_pages": site.pages if site else 0,
        }

    def site(self, host: str, url: str, html: bytes) -> dehusk.Site | None:
        """The site of a page. Learns from the page too."""
        if host not in self.sites and self.folder and self.file(host).exists():
            self.sites[host] = dehusk.Site.load(self.file(host))
            self.known.add(host)
        site = self.sites.get(host)
        if site is None or host in self.known or site.pages < MAX_PAGES:
            pages = self.pages.setdefault(host, [])
            pages.append((url, html))
            if len(pages) >= LEARN_PAGES:
                self.learn(host, pages)
                pages.clear()
        return self.sites.get(host)

    def learn(self, host: str, pages: list[tuple[str, bytes]]) -> None:
        """Learns a host, or more of it."""
        site = self.sites.get(host)
        if site is None:
            self.sites[host] = dehusk.Site.learn(pages, name=host)
        elif host not in self.known:
            # The site of these pages and of those before: merging is exact. No page may be in both, or it would count twice.
            self.sites[host] = site.merge(dehusk.Site.learn(pages, name=host))
        elif site.drift(pages).has_drifted:
            # The site has a new design since the crawl that it was learned in.
            self.sites[host] = dehusk.Site.learn(pages, name=host)
            self.known.discard(host)

    def file(self, host: str) -> Path:
        """The template file of a host."""
        assert self.folder
        return self.folder / f"{quote(host, safe='')}.husk"

    def close_spider(self) -> None:
        """Saves what was learned, for the next crawl."""
        if self.folder:
            self.folder.mkdir(parents=True, exist_ok=True)
            for host, site in self.sites.items():
                site.save(self.file(host))


class SiteSpider(scrapy.Spider):
    """Visits the pages of one host."""

    name = "site"

    def __init__(self, start: str, **options: Any) -> None:
        super().__init__(**options)
        self.first = start
        # Scrapy drops requests to other hosts.
        self.allowed_domains = [urlsplit(start).hostname or ""]
        self.links = LinkExtractor()

    async def start(self) -> AsyncIterator[scrapy.Request]:
        """The first request. Unlike that of `start_urls`, it is not made again when a page links to it."""
        yield scrapy.Request(self.first)

    def parse(self, response: Response, **_: Any) -> Iterator[Any]:
        """An item for the page, and a request for each of its links."""
        if not isinstance(response, TextResponse):
            return
        header = response.headers.get("Content-Type")
        yield {"url": response.url, "html": response.body, "content_type": header.decode("latin-1") if header else None}
        for link in self.links.extract_links(response):
            yield response.follow(link, self.parse)


def main(start: str, out: str) -> None:
    """Crawls the site of ``start`` and writes a line for each page to ``out``; its templates go to a folder beside."""
    process = CrawlerProcess(
        {
            "ITEM_PIPELINES": {DehuskPipeline: 300},
            "DEHUSK_TEMPLATES": f"{out}.templates",
            "FEEDS": {out: {"format": "jsonlines", "overwrite": True}},
            # Be kind to the server: one request at a time.
            "CONCURRENT_REQUESTS": 1,
            "ROBOTSTXT_OBEY": True,
            "LOG_LEVEL": "WARNING",
        }
    )
    process.crawl(SiteSpider, start=start)
    process.start()


if __name__ == "__main__":
    main(*sys.argv[1:])
