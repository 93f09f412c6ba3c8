"""The documentation as a site: it has every page, every link inside of it leads somewhere, and it can be built."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.report.browser import BROWSER, browser
from tests.specs.tutorial import ROOT

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))


def test_every_page_is_in_the_navigation() -> None:
    text = (ROOT / "mkdocs.yml").read_text()
    listed = re.findall(r"\s(\S+\.md)$", text, re.MULTILINE)
    assert sorted(listed) == sorted(page.relative_to(DOCS).as_posix() for page in PAGES)


def anchors(page: Path) -> set[str]:
    """The names by which headings of a page can be linked to."""
    heads = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```$|`[^`\n]*`", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith(("http://", "https://")):
            continue
        name, _, anchor = target.partition("#")
        other = (page.parent / name).resolve() if name else page
        assert other.exists(), target
        assert not anchor or anchor in anchors(other), target


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("mkdocs") is None, reason="mkdocs is not installed: make docs")
def test_the_site_is_built_and_needs_no_network(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "-d", tmp_path]
    subprocess.run(command, check=True, cwd=ROOT)
    pages = list(tmp_path.rglob("*.html"))
    assert len(pages) > len(PAGES)
    loaded = re.compile(r'<(?:script|link|img)\b[^>]*(?:src|href)="?(https?://[^" >]+)')
    foreign = {url for page in pages for url in loaded.findall(page.read_text())}
    assert foreign == set()


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("mkdocs") is None, reason="mkdocs is not installed: make docs")
@pytest.mark.skipif(BROWSER is None, reason="there is no Chromium")
def test_the_site_is_searched_without_a_server(tmp_path: Path) -> None:
    site = tmp_path / "site"
    subprocess.run([sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "-d", site], check=True, cwd=ROOT)
    with browser(tmp_path / "profile") as tab:
        tab.open(site / "index.html")
        box = "document.querySelector('.md-search__input')"
        tab.value(f"{box}.focus(), {box}.value = 'deadlock', {box}.dispatchEvent(new Event('input'))")
        tab.value(f"{box}.dispatchEvent(new KeyboardEvent('keyup', {{ key: 'k' }}))")
        until = time.monotonic() + 30
        while not tab.value("document.querySelectorAll('.md-search-result__item').length"):
            assert time.monotonic() < until
            time.sleep(0.2)
        assert tab.errors == []
