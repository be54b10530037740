"""Write a result as text, HTML or Markdown. The templates belong to a higher layer, loaded on demand."""

import os
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from p2ce.base.files import write_whole
from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument


def rendered(function: str, result: object) -> str:
    """Call a function of `p2ce.present.console`, which is loaded when a result is first shown."""
    return str(getattr(import_module("p2ce.present.console"), function)(result))


class Reports:
    """The methods that write a result for readers, as `p2ce.to_text`, `to_html` and `to_markdown` do."""

    __slots__ = ()

    def to_text(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        audience: str = "applicant",
        language: str = "en",
        phrases: Mapping[tuple[str, Any], str] | None = None,
        title: str | None = None,
        relaxations: Any = None,
    ) -> str:
        """Return plain sentences for an applicant, an officer or an auditor, as `p2ce.to_text` does.

        Args:
            path: A file to write the text to as well. Optional.
            audience: "applicant" (the default), "officer" or "auditor".
            language: "en" (the default), "es", or "pt" for Brazilian Portuguese.
            phrases: Custom phrases for changes, such as ``{("HasGuarantor", True): "get a guarantor"}``.
            title: A title to put at the top. Optional.
            relaxations: What `Explainer.relaxations` returned, to be included. Optional.
        """
        return _report(
            "to_text",
            self,
            path,
            audience=audience,
            language=language,
            phrases=phrases,
            title=title,
            relaxations=relaxations,
        )

    def to_html(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        audience: str = "applicant",
        language: str = "en",
        phrases: Mapping[tuple[str, Any], str] | None = None,
        title: str | None = None,
        relaxations: Any = None,
    ) -> str:
        """Return a report as one HTML file that needs no network, as `p2ce.to_html` does.

        Args:
            path: A file to write the page to as well. Optional.
            audience: "applicant" (the default), "officer" or "auditor".
            language: "en" (the default), "es", or "pt" for Brazilian Portuguese.
            phrases: Custom phrases for changes, such as ``{("HasGuarantor", True): "get a guarantor"}``.
            title: A title to put at the top. Optional.
            relaxations: What `Explainer.relaxations` returned, to be included. Optional.
        """
        return _report(
            "to_html",
            self,
            path,
            audience=audience,
            language=language,
            phrases=phrases,
            title=title,
            relaxations=relaxations,
        )

    def to_markdown(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        audience: str = "applicant",
        language: str = "en",
        phrases: Mapping[tuple[str, Any], str] | None = None,
        title: str | None = None,
        relaxations: Any = None,
    ) -> str:
        """Return the report of `to_html` in GitHub-flavoured Markdown, as `p2ce.to_markdown` does.

        Args:
            path: A file to write the text to as well. Optional.
            audience: "applicant" (the default), "officer" or "auditor".
            language: "en" (the default), "es", or "pt" for Brazilian Portuguese.
            phrases: Custom phrases for changes, such as ``{("HasGuarantor", True): "get a guarantor"}``.
            title: A title to put at the top. Optional.
            relaxations: What `Explainer.relaxations` returned, to be included. Optional.
        """
        return _report(
            "to_markdown",
            self,
            path,
            audience=audience,
            language=language,
            phrases=phrases,
            title=title,
            relaxations=relaxations,
        )


def _report(function: str, result: object, path: str | os.PathLike[str] | None, **settings: Any) -> str:
    """Call a function of `p2ce.present.render`."""
    return str(getattr(import_module("p2ce.present.render"), function)(result, path, **settings))


def write_report(text: str, path: str | os.PathLike[str] | None, what: str) -> str:
    """Return a text. If a path is given, write the text there first, completely or not at all."""
    if path is not None:
        if not isinstance(path, str | os.PathLike):
            raise InvalidArgument(
                f"path must be the file to write {what.lower()} to, got {echoed(path)}. "
                "Pass path='report.html', for example."
            )
        write_whole(path, text.encode("utf-8"), what=what)
    return text
