"""Write a result as text, HTML or Markdown; the templates lie above this layer, and are loaded on demand."""

import os
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from p2ce.errors import InvalidArgument
from p2ce.files import write_whole
from p2ce.visible import echoed


def rendered(function: str, result: object) -> str:
    """Call a function of `p2ce.present.console`, which is loaded when a result is first shown."""
    return str(getattr(import_module("p2ce.present.console"), function)(result))


class Reports:
    """The methods that write a result for people; `p2ce.to_text` and the like do the same."""

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
        """Return plain sentences for an applicant, an officer or an auditor; see `p2ce.to_text`.

        With a `path` the text is written there as well.
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
        """Return a report as one HTML file that needs no network; see `p2ce.to_html`.

        With a `path` it is written there as well.
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
        """Return the report of `to_html` in GitHub-flavoured Markdown; see `p2ce.to_markdown`.

        With a `path` it is written there as well.
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


def written(text: str, path: str | os.PathLike[str] | None, what: str) -> str:
    """Return a text; with a path, write it there first, as a whole or not at all."""
    if path is not None:
        if not isinstance(path, str | os.PathLike):
            raise InvalidArgument(
                f"path must be the file to write {what.lower()} to, got {echoed(path)}. "
                "Pass path='report.html', for example."
            )
        write_whole(path, text.encode("utf-8"), what=what)
    return text
