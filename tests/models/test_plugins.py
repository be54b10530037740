"""Is a family that lives in a package of its own found, checked, and named where it is broken?"""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import p2ce
from p2ce import plugins
from p2ce.errors import BrokenPlugin, InvalidArgument
from p2ce.models.parse_model import parse_model
from tests.models.laws import assert_conforms

PACKAGE = Path(__file__).parent / "scorecards"
SOURCE = Path(p2ce.__file__).parent.parent
USE = """
import pandas as pd
from scorecard import Ranges, Scorecard

import p2ce
from p2ce.testing import check_detector, check_model

people = pd.DataFrame({"income": [1.0, 2.0, 3.0, 4.0, 5.0] * 4, "debts": [3.0, 1.0, 2.0, 0.0] * 5})
model = Scorecard({"income": (2.5, -1.0, 2.0), "debts": (1.5, 0.5, -1.5)})
print(check_model(model, people, rows=100, boxes=20, people=2).family)
detector = Ranges({"income": (1.0, 4.0)})
check_detector(detector, people, rows=100)
explainer = p2ce.Explainer(model, people, plausibility=detector, max_changes=2)
found = explainer.explain(people.iloc[0])
print(found.certificate.model_family, found.certificate.bound, found.status.value, len(found))
"""


def installed(folder: Path, *, entry_points: dict[str, dict[str, str]] | None = None) -> Path:
    """Lay the package out as an installer does: its modules, and metadata that name its entry points."""
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for module in PACKAGE.glob("*.py"):
        (folder / module.name).write_text(module.read_text(encoding="utf-8"), encoding="utf-8")
    metadata = folder / f"{project['name']}-{project['version']}.dist-info"
    metadata.mkdir()
    named = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (metadata / "METADATA").write_text(named, encoding="utf-8")
    groups = project["entry-points"] if entry_points is None else entry_points
    lines = [
        line
        for group, points in groups.items()
        for line in (f"[{group}]", *(f"{name} = {value}" for name, value in points.items()))
    ]
    (metadata / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    return folder


def run(folder: Path, code: str) -> "subprocess.CompletedProcess[str]":
    paths = os.pathsep.join([str(folder), str(SOURCE), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_an_installed_package_adds_a_family_and_a_detector(tmp_path: Path) -> None:
    done = run(installed(tmp_path), USE)
    assert done.returncode == 0, done.stderr
    family, explained = done.stdout.splitlines()
    assert family == "scorecard"
    assert explained.startswith("scorecard")
    assert "optimal" in explained.lower()


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("no_such_module", "ModuleNotFoundError"),
        ("scorecard", "needs recognises"),
        ("scorecard:Ranges", "needs"),
    ],
)
def test_a_broken_package_is_named_once_and_clearly(tmp_path: Path, value: str, why: str) -> None:
    points = {"p2ce.model_families": {"cards": value}}
    done = run(installed(tmp_path, entry_points=points), USE)
    last = done.stderr.strip().splitlines()[-1]
    assert "BrokenPlugin" in last
    assert "'cards' of package scorecards 1.2" in last
    assert why in last


class Threshold:
    """A model that no built-in family knows."""

    classes_ = np.array([0, 1])

    def decision_function(self, rows: pd.DataFrame) -> np.ndarray:
        return rows["a"].to_numpy() * 2.0 - 1.0


class ThresholdFamily:
    """A family that parses it as a weighted sum."""

    def recognises(self, model: object) -> bool:
        return isinstance(model, Threshold)

    def parse(self, model: Threshold, request: object) -> object:
        from p2ce.decisions.margins import ClassOutputs, ParsedModel
        from p2ce.decisions.weighted_sums import WeightedSums

        sums = WeightedSums(
            columns=("a",), weights=np.array([[2.0]]), intercepts=np.array([-1.0]), reach=np.array([64.0])
        )
        outputs = ClassOutputs(names=(0, 1), decision_values=model.decision_function)
        return ParsedModel(family="threshold", margins=sums, outputs=outputs)


def test_a_registered_family_comes_before_the_black_box() -> None:
    frame = pd.DataFrame({"a": np.linspace(-1.0, 2.0, 50)})
    assert parse_model(Threshold(), reference=frame).score is None
    family = ThresholdFamily()
    p2ce.register(family)
    try:
        found, _ = assert_conforms(Threshold(), frame, undecided=0.1)
        assert found.family == "threshold"
        p2ce.register(family)
        assert plugins.families_of("model", ()).count(family) == 1
    finally:
        plugins.unregister(family)
    assert parse_model(Threshold(), reference=frame).score is None


def test_what_is_no_family_is_rejected() -> None:
    with pytest.raises(InvalidArgument, match="a family needs recognises"):
        p2ce.register(object())  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match="'model' or 'detector'"):
        p2ce.register(ThresholdFamily(), kind="rule")  # type: ignore[arg-type]


def test_a_family_that_returns_something_else_is_named() -> None:
    class Odd(ThresholdFamily):
        def parse(self, model: Threshold, request: object) -> object:
            return 1.0

    family = Odd()
    p2ce.register(family)
    try:
        with pytest.raises(BrokenPlugin, match="returns a ParsedModel; for Threshold it returned float"):
            parse_model(Threshold(), reference=pd.DataFrame({"a": [0.0, 1.0]}))
    finally:
        plugins.unregister(family)
