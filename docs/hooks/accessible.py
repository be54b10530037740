"""Make the built pages usable by keyboard and by screen readers, where the theme leaves something out."""

from typing import Any


def on_post_page(output: str, **_: Any) -> str:
    """Let blocks of code that scroll take the focus, and name the search dialog; called by mkdocs."""
    focusable = output.replace("<pre><span></span><code>", '<pre><span></span><code tabindex="0">')
    return focusable.replace(
        'data-md-component="search" role="dialog"',
        'data-md-component="search" role="dialog" aria-label="Search"',
    )
