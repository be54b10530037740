"""Return a file to the very function that the command line or the library's user gives it to."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from tests.hostile import seeds
from tests.hostile.seeds import Seed

SECONDS = 5.0  # of search for each person


class Inconsistent(Exception):
    """An explanation that contradicts the model which it is about."""


def take(format_name: str, path: Path, sound: Seed) -> None:
    """Read a file and use what is in it; whatever is raised is for the caller to judge."""
    if format_name in TAKERS:
        TAKERS[format_name](path)
    else:
        take_model(path, sound)


def take_model(path: Path, sound: Seed) -> None:
    """Read a model as ``p2ce inspect`` and ``p2ce explain`` do, and explain two people with it."""
    from p2ce.apps.command_inputs import Inputs, check_files, make_ready

    is_weights = path.suffix == ".pt"
    inputs = Inputs(
        model=f"{seeds.NETWORK}:make_network" if is_weights else str(path),
        weights=path if is_weights else None,
        reference=Path(f"{sound.table}.csv"),
        drop=("Repaid",),
        target=sound.target,
        at_least=sound.threshold,
        plausible=False,
    )
    check_files(inputs, rows=False)
    ready = make_ready(inputs)
    ready.explainer.describe()
    explain(ready.explainer, ready.rows.head(2))


def explain(explainer: Any, people: Any) -> None:
    """Explain people; the model must accept every option when it is evaluated again."""
    for entry in explainer.explain_many(people, time_limit=SECONDS):
        for option in entry:
            evaluation = explainer.evaluate(entry.person, option.values, explanation=entry)
            if not evaluation.ok or evaluation.better:
                raise Inconsistent(f"{entry.status.name}: {option.changes}: {evaluation}".replace("\n", ", "))


def warm_up() -> None:
    """Compile the kernels of sums, of trees and of black-box models."""
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.tree import DecisionTreeClassifier

    import p2ce

    _question().warm_up()
    for model in (DecisionTreeClassifier(max_depth=2), KNeighborsClassifier(3)):
        fitted = model.fit(seeds.numbers(), seeds.outcome())
        p2ce.Explainer(fitted, seeds.numbers(), target=1, plausibility=None).warm_up()


def take_lightgbm_text(path: Path) -> None:
    """Look over the text of a LightGBM model, without LightGBM."""
    from p2ce.apps.model_files.formats.lightgbm_text import checked_text

    checked_text(path.read_bytes())


@cache
def _question() -> Any:
    return seeds.problem()


def take_archive(path: Path) -> None:
    """Load an explainer, and explain a person with it."""
    import p2ce

    explainer = p2ce.Explainer.load(path, seeds.mixed_model(), check_model=False)
    explain(explainer, seeds.mixed().head(1))


def take_policy(path: Path) -> None:
    """Check a policy as ``p2ce policy check`` does, then explain a person with it."""
    import p2ce
    from p2ce.policy.file.policy_file import parse_policy, read_policy_file
    from p2ce.policy.file.policy_lint import lint

    lint(parse_policy(read_policy_file(path)), seeds.mixed())
    policy = p2ce.Policy.load(path)
    explain(
        p2ce.Explainer(seeds.mixed_model(), seeds.mixed(), target=1, policy=policy, plausibility=None),
        seeds.mixed().head(1),
    )


def take_explanation(path: Path) -> None:
    """Read an explanation from JSON, and tell it in words, as a frame and as JSON again."""
    from p2ce.errors import InvalidArgument
    from p2ce.result import Explanation, Explanations, Relaxations

    try:
        data = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:  # Python's own parser, before p2ce sees anything
        raise InvalidArgument("no JSON") from error
    header = str(data.get("format", "")) if isinstance(data, dict) else ""
    kinds: dict[str, Any] = {"explanations": Explanations, "why": Relaxations}
    kind = next((one for name, one in kinds.items() if name in header), Explanation)
    explanation = kind.from_dict(data)
    json.dumps(explanation.to_dict(), allow_nan=False)
    explanation.to_frame()
    str(explanation)


def take_table(path: Path) -> None:
    """Read a table as the population and as the people of a command."""
    import pandas as pd

    from p2ce.policy import Policy
    from p2ce.tables import typed_columns as cells
    from p2ce.tables.table_files import read_table

    table = read_table(path, "--data")
    Policy.infer(pd.DataFrame({name: cells.natural(table, name) for name in table.columns}))
    if set(table.columns) >= set(seeds.mixed().columns):
        explain(_question(), cells.typed_rows(table, seeds.mixed()).head(2))


TAKERS: dict[str, Callable[[Path], None]] = {
    "lightgbm text": take_lightgbm_text,
    "archive": take_archive,
    "policy": take_policy,
    "explanation": take_explanation,
    "table": take_table,
}
