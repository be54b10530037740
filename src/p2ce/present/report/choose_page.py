"""Choose the layout of a report: one person or many. Other inputs raise."""

from collections.abc import Mapping
from typing import Any

from p2ce.errors import InvalidArgument
from p2ce.present.relaxation_sentences import check_why
from p2ce.present.report.page_parts import Page
from p2ce.present.report.person_page import page_of_one
from p2ce.present.report.portfolio_page import page_of_many
from p2ce.present.report.reader import reader_for
from p2ce.result import Explanation, Explanations, WhyNone
from p2ce.visible import echoed


def page_for(
    explanation: Any,
    *,
    audience: str,
    language: str,
    title: str | None,
    why: WhyNone | Mapping[Any, WhyNone] | None,
    caller: str,
) -> Page:
    """Lay out the report on one person or many; `caller` is the name of the public function, for errors."""
    reader = reader_for(audience, language)
    if title is not None and not isinstance(title, str):
        raise InvalidArgument(f"title expects text, got {echoed(title)}. Leave it out for a title in words.")
    if isinstance(explanation, Explanation):
        check_why(explanation, why)
        assert why is None or isinstance(why, WhyNone)  # else the line above has raised
        return page_of_one(explanation, reader, title=title, why=why)
    if not isinstance(explanation, Explanations):
        raise InvalidArgument(
            f"{caller}() takes an Explanation or Explanations, got {type(explanation).__name__}. "
            "Give it what explain() or explain_many() returned."
        )
    if why is not None and not isinstance(why, Mapping):
        raise InvalidArgument(
            f"For many people, why expects a dict from their labels to what why_none() found, "
            f"got {type(why).__name__}."
        )
    return page_of_many(explanation, reader, title=title, why=why or {})
