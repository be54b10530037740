"""Print what one warmed `explain` runs through: functions, files and changes of folder.

A folder is a room, such as run/ or engine/solver/. Comprehensions, generator expressions and lambdas do not
count. With --list, every change of folder and function is printed.
"""

import sys
from itertools import groupby
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

import p2ce

PACKAGE = Path(p2ce.__file__).parent
DEEPEST = 2  # folders below these are part of the same room


def small_explainer() -> tuple[p2ce.Explainer, dict[str, int]]:
    """Return an explainer of a decision tree with five features, and a row that it rejects."""
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.integers(0, 20, size=(200, 5)), columns=list("abcde"))
    label = (rows.sum(axis=1) > 50).astype(int)
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(rows, label)
    rejected = rows[model.predict(rows) == 0]
    return p2ce.Explainer(model, rows, target=1, plausibility=None), rejected.iloc[0].to_dict()


def trace(call: Any, *args: Any) -> list[CodeType]:
    """Run a call, and return every function of this package that it enters, in their order."""
    entered: list[CodeType] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and counts(frame.f_code):
            entered.append(frame.f_code)

    sys.setprofile(note)
    try:
        call(*args)
    finally:
        sys.setprofile(None)
    return entered


class TracedPath(NamedTuple):
    """What a call runs through."""

    entered: list[CodeType]  # every function, in the order of the calls
    functions: list[CodeType]  # the same, once each
    files: set[str]
    folders: list[str]  # one after another


def path_of(call: Any, *args: Any) -> TracedPath:
    """Run a call, and return what it runs through."""
    entered = trace(call, *args)
    functions = list(dict.fromkeys(entered))
    folders = [folder for folder, _ in groupby(map(folder_of, entered))]
    return TracedPath(entered, functions, {code.co_filename for code in functions}, folders)


def counts(code: CodeType) -> bool:
    """Return whether a function is one of this package, with a name."""
    return code.co_filename.startswith(f"{PACKAGE}/") and not code.co_name.startswith("<")


def folder_of(code: CodeType) -> str:
    """Return the room of a function: the folder of its file, at most two levels deep."""
    return "/".join(Path(code.co_filename).relative_to(PACKAGE).parent.parts[:DEEPEST]) or "."


def main() -> None:
    """Print the counts, and with --list everything that they count."""
    explainer, row = small_explainer()
    for _ in range(2):
        explainer.explain(row)
    path = path_of(explainer.explain, row)
    if "--list" in sys.argv:
        for code in path.functions:
            file = Path(code.co_filename).relative_to(PACKAGE)
            print(f"{file}: {code.co_qualname} × {path.entered.count(code)}")
        print(" → ".join(path.folders))
    print(
        f"{len(path.functions)} functions in {len(path.files)} files with {len(path.folders) - 1} changes of "
        f"folder, {len(path.entered)} calls"
    )


if __name__ == "__main__":
    main()
