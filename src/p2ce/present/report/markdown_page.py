"""Write one Markdown file on one person or many."""

import os
from collections.abc import Mapping
from typing import Any

from p2ce.present.report.choose_page import page_for
from p2ce.present.report.markdown_parts import blocks_of, escaped, heading
from p2ce.present.report.write_report import write
from p2ce.result import Explanation, Explanations, WhyNone


def to_markdown(
    explanation: Explanation | Explanations,
    path: str | os.PathLike[str] | None = None,
    *,
    audience: str = "person",
    language: str = "en",
    title: str | None = None,
    why: WhyNone | Mapping[Any, WhyNone] | None = None,
) -> str:
    """Write the same report as `to_html` in GitHub-flavoured Markdown, without its drawings.

    >>> from p2ce.result import Status
    >>> explanation = Explanation(
    ...     status=Status.ALREADY_FAVOURABLE, person={"Age": 41}, person_score=0.8, threshold=0.5,
    ...     target=1, objectives=("changes",), dtypes={"Age": "int64"},
    ... )
    >>> to_markdown(explanation, title="Ana | Bia").splitlines()[0]
    '# Ana \\\\| Bia'
    """
    page = page_for(
        explanation, audience=audience, language=language, title=title, why=why, caller="to_markdown"
    )
    blocks = [heading(1, escaped(page.title))]
    if page.status:
        blocks.append(f"**{escaped(page.status)}**")
    blocks += [*blocks_of(page.parts, 2), "---", *blocks_of(page.footer, 2)]
    text = "\n\n".join(blocks) + "\n"
    if path is not None:
        write(text, path)
    return text
