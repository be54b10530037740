"""How was each method asked? What a reader has to know before comparing two rows."""

from benchmarks.paper.report import words
from benchmarks.paper.report.results import Results
from benchmarks.paper.report.table import Table, plain

ASKED = {
    "mapocam": 'method="mapocam" of this engine: no plausibility; proven bounds of logistic regression and '
    "LightGBM, none of the MLP, as in the paper. One call per person.",
    "p2ce-ablation": 'method="p2ce-ablation": Alg. 2 of the paper without lines 20–21. One call per person.',
    "p2ce": 'method="p2ce": Alg. 2. Logistic regression has a proven bound; LightGBM and the MLP are pruned '
    'by the paper\'s SHAP estimate (bound="shap-paper"), which can miss answers. One call per person.',
    "proven": "The default engine, with proven bounds for every model. All people in one explain_many.",
    "dice-genetic": "dice-ml 0.12, genetic; told what may change and the ranges of the grid. It cannot be "
    "told a limit on changes. All columns as numbers, as in the authors' code. One answer; four "
    "beside three objectives.",
    "dice-random": "dice-ml 0.12, random, with the same settings.",
    "nice": "NICEx 0.2.3, proximity, as the authors' code sets it; it knows no constraints and gives one "
    "answer. Calls the model through its own class, as users do; the MLP in NumPy.",
    "nice-bare": "The same, with the model called without the checks of its class (LightGBM's booster; plain "
    "NumPy for logistic regression): NICE at its quickest.",
    "ocean": "oceanpy 2.0, constraint programming, on all cores. It has no setting for what may change, so "
    "its solver was given fixed features and ranges as further constraints, outside the clock. It minimises "
    "L₁ on its own 0–1 scale, not c₁; whole columns are rounded to the next number beyond a threshold.",
}


def asked_table(results: Results) -> Table:
    """One row per method that this run has."""
    there = set(results.people["method"])
    rows = [(words.name_of(method), told) for method, told in ASKED.items() if method in there]
    return plain("What each method was told", ("Method", "How it was asked"), rows, 1)
