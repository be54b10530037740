"""A built-in objective is one file and one line in `p2ce.objectives`: everything else finds it there."""

import importlib.util
import json
from pathlib import Path

import pytest

import p2ce
from p2ce import evidence
from p2ce.objectives.objective_names import is_data, resolve
from tests.objectives.half_points import HalfPoints
from tests.optional import LazyLibrary
from tests.populations import loans

Text = LazyLibrary("matplotlib.text")


@pytest.fixture(autouse=True)
def listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one line in the registry."""
    monkeypatch.setattr(p2ce.objectives, "HalfPoints", HalfPoints, raising=False)


def test_it_has_a_name_and_wrong_names_list_it() -> None:
    assert resolve("half_points") == (HalfPoints(),)
    assert is_data(HalfPoints())
    with pytest.raises(p2ce.errors.InvalidObjective, match="Did you mean 'half_points'"):
        resolve("half_point")


def test_texts_pages_charts_and_data_show_it() -> None:
    explanation = loans.explainer(objectives=["half_points", "mean_distance"]).explain(
        loans.rejected().iloc[0]
    )
    assert len(explanation) > 0
    assert all(option.costs["half_points"] == len(option.changes) / 2 for option in explanation)
    assert explanation.best("half_points").costs["half_points"] == 0.5
    assert "half_points" in p2ce.to_text(explanation, audience="officer")
    assert "half_points" in p2ce.to_html(explanation, audience="officer")
    drawn = p2ce.plot_front(explanation).findobj(Text.Text)
    assert any("half_points" in text.get_text() for text in drawn)
    again = p2ce.Explanation.from_dict(json.loads(json.dumps(explanation.to_dict())))
    assert again == explanation
    assert "half_points" in explanation.to_frame()


def test_files_keep_it_and_evidence_is_found_again(tmp_path: Path) -> None:
    explainer = loans.explainer(objectives=[HalfPoints(point=0.25), "changes"])
    row = loans.rejected().iloc[0]
    explanation = explainer.explain(row)
    explainer.save(tmp_path / "loans.p2ce")
    loaded = p2ce.Explainer.load(tmp_path / "loans.p2ce", loans.forest())
    assert loaded.explain(row) == explanation
    evidence.save(explanation, tmp_path / "evidence.zip", explainer=explainer)
    assert evidence.replay(tmp_path / "evidence.zip", loans.forest()).same
    report = evidence.check(tmp_path / "evidence.zip", loans.forest())
    outcomes = {check.what: check.outcome for check in report.checks}
    assert (
        outcomes["cost half_points"] == "unchecked"
    )  # its independent twin, if it gets one, is a third place
    assert "failed" not in outcomes.values()


def test_the_documentation_has_its_row() -> None:
    path = Path(__file__).parents[2] / "docs" / "hooks" / "objectives.py"
    spec = importlib.util.spec_from_file_location("objectives_hook", path)
    assert spec is not None
    assert spec.loader is not None
    hook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hook)
    page = hook.on_page_markdown(f"{hook.TABLE}\n\n{hook.REFERENCE}")
    assert "| `half_points` | Half a point for each changed feature. |" in page
    assert "::: p2ce.objectives.HalfPoints\n" in page
