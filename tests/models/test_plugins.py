"""Is a family that lives in a separate package found, checked, and named where it is broken?"""

import shutil
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import p2ce
from p2ce import plugins
from p2ce.errors import BrokenPlugin, InvalidArgument
from p2ce.models.parse_model import parse_model
from p2ce.testing import check_detector, check_model
from tests.docs.running import reading_in
from tests.models.laws import assert_conforms

PACKAGE = Path(__file__).parent / "scorecards"
PROJECT = tomllib.loads((PACKAGE / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@contextmanager
def installed(folder: Path, points: dict[str, dict[str, str]]) -> Iterator[None]:
    """Lay the package out as an installer does: its modules, and metadata that name its entry points."""
    shutil.copytree(PACKAGE, folder, dirs_exist_ok=True)
    metadata = folder / f"{PROJECT['name']}-{PROJECT['version']}.dist-info"
    metadata.mkdir()
    named = f"Metadata-Version: 2.1\nName: {PROJECT['name']}\nVersion: {PROJECT['version']}\n"
    (metadata / "METADATA").write_text(named, encoding="utf-8")
    groups = [
        [f"[{group}]", *(f"{name} = {value}" for name, value in of.items())] for group, of in points.items()
    ]
    (metadata / "entry_points.txt").write_text("\n".join(chain(*groups)), encoding="utf-8")
    plugins._from_entry_points.cache_clear()
    try:
        with reading_in(folder):
            yield
    finally:
        plugins._from_entry_points.cache_clear()


def test_an_installed_package_adds_a_family_and_a_detector(tmp_path: Path) -> None:
    people = pd.DataFrame({"income": [1.0, 2.0, 3.0, 4.0, 5.0] * 4, "debts": [3.0, 1.0, 2.0, 0.0] * 5})
    with installed(tmp_path, PROJECT["entry-points"]):
        scorecard = import_module("scorecard")
        model = scorecard.Scorecard({"income": (2.5, -1.0, 2.0), "debts": (1.5, 0.5, -1.5)})
        detector = scorecard.Ranges({"income": (1.0, 4.0)})
        assert check_model(model, people, rows=100, boxes=20, people=2).family == "scorecard"
        check_detector(detector, people, rows=100)
        explainer = p2ce.Explainer(model, people, target=1, plausibility=detector, max_changes=2)
        found = explainer.explain(people.iloc[0])
    assert found.certificate.model_family == "scorecard"
    assert found.status is p2ce.Status.OPTIMAL


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("no_such_module", "ModuleNotFoundError"),
        ("scorecard", "needs recognises"),
        ("scorecard:Ranges", "needs"),
    ],
)
def test_a_broken_package_is_named_clearly(tmp_path: Path, value: str, why: str) -> None:
    message = f"'cards' of package scorecards 1.2.*{why}"
    with (
        installed(tmp_path, {"p2ce.model_families": {"cards": value}}),
        pytest.raises(BrokenPlugin, match=message),
    ):
        parse_model(Threshold(), reference=pd.DataFrame({"a": [0.0, 1.0]}))


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
        assert [one.family for one in plugins.families_of("model", ())].count(family) == 1
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
        with pytest.raises(BrokenPlugin, match="must return a ParsedModel; for Threshold it returned float"):
            parse_model(Threshold(), reference=pd.DataFrame({"a": [0.0, 1.0]}))
    finally:
        plugins.unregister(family)
