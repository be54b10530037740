"""The public names are exactly these, and importing them is light."""

import subprocess
import sys

import p2ce

NAMES = {
    "ActionSet",
    "Certificate",
    "Changes",
    "CostTable",
    "Counterfactual",
    "Display",
    "Euclidean",
    "Explainer",
    "Explanation",
    "Explanations",
    "FeatureMap",
    "IsolationForest",
    "Judgement",
    "Limits",
    "MaxDistance",
    "MeanDistance",
    "ModelFacts",
    "Objective",
    "P2CEError",
    "PercentileShift",
    "Pick",
    "Progress",
    "Question",
    "Relaxation",
    "ShapEstimate",
    "Status",
    "WeightedDistance",
    "WhyNone",
    "datasets",
    "load",
    "paper",
    "plot_changes",
    "plot_costs",
    "plot_front",
    "plot_levers",
    "plot_map",
    "register",
    "rules",
    "to_html",
    "to_markdown",
    "to_text",
}


def test_the_public_names_are_exactly_these() -> None:
    assert set(p2ce.__all__) == NAMES
    assert list(p2ce.__all__) == sorted(p2ce.__all__)
    assert all(hasattr(p2ce, name) for name in NAMES)
    assert p2ce.paper.__all__ == ["P2CE", "Mapocam"]


def test_the_version_is_that_of_the_package() -> None:
    from importlib.metadata import version

    assert p2ce.__version__ == version("p2ce")


def test_importing_loads_no_optional_library_and_no_compiler() -> None:
    heavy = "lightgbm xgboost catboost treelite numba matplotlib plotly shap torch tqdm polars pyarrow"
    code = f"import sys, p2ce; print(sorted(set({heavy!r}.split()) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
