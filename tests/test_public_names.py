"""The public names are exactly these, and importing them is light."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import p2ce
from tests.optional import mostly_slow

MODULES = {
    "datasets",
    "errors",
    "evidence",
    "extend",
    "objectives",
    "paper",
    "portfolio",
    "result",
    "rules",
    "testing",
}
NAMES = {
    "Points",
    "Policy",
    "Audit",
    "Display",
    "Explainer",
    "Explanation",
    "Explanations",
    "Limits",
    "Near",
    "P2CEError",
    "PlausibilityForest",
    "Progress",
    "ShapEstimate",
    "Status",
    "audit",
    "plot_changes",
    "plot_costs",
    "plot_front",
    "plot_groups",
    "plot_levers",
    "plot_map",
    "register",
    "to_html",
    "to_markdown",
    "to_text",
}
# What users receive is in p2ce.result only; more may be there, as results grow.
RECEIVED = {
    "Certificate",
    "Counterfactual",
    "FeatureMap",
    "Evaluation",
    "ModelFacts",
    "Pick",
    "PriceOfPlausibility",
    "ProblemRecord",
    "Relaxation",
    "SampledPrice",
    "Relaxations",
}
OF_MODULES = {
    "datasets": ["Dataset", "Demo", "load", "load_demo", "make_applicants"],
    "evidence": [
        *("Check", "Difference", "EvidenceReport", "Replay", "check", "replay", "save", "verify_signature")
    ],
    "objectives": [
        *("Changes", "CostTable", "Euclidean", "FittedObjective", "MaxDistance", "MeanDistance"),
        *("Objective", "PercentileShift", "Reference", "WeightedDistance", "price"),
    ],
    "paper": ["P2CE", "Mapocam"],
    "portfolio": ["PortfolioResults", "explain_batches", "result_schema", "run"],
    "testing": [
        *("DetectorReport", "ModelReport", "ObjectiveReport", "RuleReport"),
        *("check_adapter", "check_detector", "check_model", "check_objective", "check_rule"),
    ],
}
METHODS = {
    "policy",
    "describe",
    "evaluate",
    "explain",
    "explain_many",
    "load",
    "more",
    "feature_map",
    "problem",
    "reference",
    "sample_price_of_plausibility",
    "save",
    "scores",
    "at_least",
    "at_most",
    "warm_up",
    "relaxations",
}


def test_the_public_names_are_exactly_these() -> None:
    assert list(p2ce.__all__) == sorted(NAMES | MODULES)
    assert all(hasattr(p2ce, name) for name in p2ce.__all__)
    assert {name for name in dir(p2ce.Explainer) if not name.startswith("_")} == METHODS
    with pytest.raises(AttributeError, match="no attribute 'load'"):
        p2ce.load  # noqa: B018


def test_what_is_received_is_in_result() -> None:
    assert RECEIVED | {"Explanation", "Explanations", "Status"} <= set(p2ce.result.__all__)
    assert not RECEIVED & set(p2ce.__all__)
    assert all(hasattr(p2ce.result, name) for name in p2ce.result.__all__)


@pytest.mark.parametrize("module", sorted(OF_MODULES))
def test_modules_state_their_names(module: str) -> None:
    assert import_module(f"p2ce.{module}").__all__ == OF_MODULES[module]


@pytest.mark.parametrize("module", mostly_slow(sorted(MODULES), sorted(MODULES)[0]))
def test_modules_are_attributes_without_an_import_of_their_own(module: str) -> None:
    code = f"import p2ce; assert p2ce.{module}.__name__ == 'p2ce.{module}'"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("module", [p2ce, p2ce.evidence, p2ce.portfolio], ids=lambda module: module.__name__)
def test_type_checkers_see_the_same_names(module: ModuleType) -> None:
    assert module.__file__
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {
        (node.module, alias.name)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name == alias.asname  # which exports it
    }
    homes = {(f"p2ce.{home}".rstrip("."), name) for name, home in module._HOMES.items()}
    assert seen == homes


def test_the_version_is_that_of_the_package() -> None:
    from importlib.metadata import version

    assert p2ce.__version__ == version("p2ce")


def test_importing_loads_no_library_at_all() -> None:
    heavy = "numpy pandas sklearn lightgbm xgboost catboost numba matplotlib shap torch rich polars pyarrow"
    code = f"import sys, p2ce.errors; print(sorted(set({heavy!r}.split()) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
