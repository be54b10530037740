"""Show how many people are done: the time that has passed, then the time that is left."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tqdm import tqdm

FORMAT = "{desc}: {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} people, {elapsed} elapsed · {remaining} left"


def progress_bar(total: int, *, doing: str, shown: bool, done: int = 0) -> "tqdm[object]":
    """Make a bar on stderr; `done` people were done before."""
    from tqdm import tqdm

    return tqdm(total=total, initial=done, disable=not shown, desc=doing, bar_format=FORMAT)
