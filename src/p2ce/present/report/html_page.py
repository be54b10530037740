"""Write one self-contained HTML file on one person or many."""

import base64
import hashlib
import os
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from p2ce.present.report.choose_page import page_for
from p2ce.present.report.escaped_html import Html, escaped, joined, tag
from p2ce.present.report.html_parts import parts_html
from p2ce.present.report.page_parts import Page
from p2ce.present.report.write_report import write
from p2ce.result import Explanation, Explanations, WhyNone


def to_html(
    explanation: Explanation | Explanations,
    path: str | os.PathLike[str] | None = None,
    *,
    audience: str = "person",
    language: str = "en",
    title: str | None = None,
    why: WhyNone | Mapping[Any, WhyNone] | None = None,
) -> str:
    """Write a report as one HTML file that needs no network: for a phone, a screen or paper.

    `audience` is "person", "officer" or "auditor", from few words to everything; `language` is "en", "pt" or
    "es". `why` is what ``explainer.why_none(person)`` found for a person without options; for many people a
    dict from their labels to it. With a `path` the file is written there as well, as a whole or not at all.

    >>> from p2ce.result import Status
    >>> explanation = Explanation(
    ...     status=Status.ALREADY_FAVOURABLE, person={"Age": 41}, person_score=0.8, threshold=0.5,
    ...     target=1, objectives=("changes",), dtypes={"Age": "int64"},
    ... )
    >>> page = to_html(explanation, language="pt", title="Ana & Bia")
    >>> page[:35], "<title>Ana &amp; Bia</title>" in page
    ('<!DOCTYPE html>\\n<html lang="pt-BR">', True)
    """
    page = page_for(explanation, audience=audience, language=language, title=title, why=why, caller="to_html")
    text = _document(page)
    if path is not None:
        write(text, path)
    return text


def _document(page: Page) -> str:
    style, script = _resource("page.css"), _resource("page.js")
    # Nothing is ever loaded, and of what stands in the page only this style and this script count: even
    # markup that slipped through could do nothing.
    allowed = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    head = joined(
        Html('<meta charset="utf-8">'),
        tag("meta", http_equiv="Content-Security-Policy", content=allowed),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", page.title),
        Html(f"<style>{style}</style>"),
    )
    status = [tag("p", page.status, class_=f"chip {page.status_kind}")] if page.status else []
    header = tag("header", tag("p", page.above, class_="above"), tag("h1", page.title), *status)
    body = joined(
        header,
        tag("main", parts_html(page.parts, 2)),
        tag("footer", parts_html(page.footer, 2)),
        Html(f"<script>{script}</script>"),
    )
    locale = "pt-BR" if page.language == "pt" else page.language
    return (
        f'<!DOCTYPE html>\n<html lang="{escaped(locale)}">\n<head>\n{head.markup}\n</head>\n'
        f"<body>\n{body.markup}\n</body>\n</html>\n"
    )


@cache
def _resource(name: str) -> str:
    return files("p2ce.present.report").joinpath(name).read_text(encoding="utf-8").replace("\r\n", "\n")


@cache
def _hash(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode("utf-8")).digest()).decode("ascii")
