"""The site loads nothing from elsewhere: what lets the search work in files comes from the site itself."""

from __future__ import annotations

from typing import Any

_ELSEWHERE, _HERE = "https://unpkg.com/iframe-worker/shim", "assets/frame-worker.js"


def on_post_page(output: str, page: Any, config: Any) -> str:
    """The page of the site, after everything else was done with it."""
    return output.replace(_ELSEWHERE, "../" * page.url.count("/") + _HERE)


def on_post_template(output: str, template_name: str, config: Any) -> str:
    """The same for what is no page, such as that about an address that does not exist."""
    return output.replace(_ELSEWHERE, _HERE)
