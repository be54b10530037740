"""Publish results only from committed code, so the page names a commit that reproduces them."""

from collections.abc import Iterable
from pathlib import Path

from p2ce.errors import InvalidArgument
from reproduction.store import CHANGED, UNKNOWN

DOCS = Path(__file__).parents[1] / "docs"


def is_committed(commit: str) -> bool:
    """Return whether a commit alone identifies the code that was measured."""
    return commit != UNKNOWN and not commit.endswith(CHANGED)


def require_committed(page: Path, commits: Iterable[str]) -> None:
    """Raise if a page in docs/ would show figures that no commit reproduces. Drafts belong elsewhere."""
    uncommitted = sorted(commit for commit in commits if not is_committed(commit))
    if uncommitted and DOCS in page.resolve().parents:
        raise InvalidArgument(
            f"{page} is published, so its figures must come from committed code, and these come from "
            f"{', '.join(uncommitted)}. Commit and run again with --fresh, or write a draft elsewhere."
        )
