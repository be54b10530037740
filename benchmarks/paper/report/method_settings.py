"""How is each method set? What a reader has to know before comparing two rows."""

from benchmarks.paper.report import words
from benchmarks.paper.report.results import Results
from benchmarks.paper.report.table import Table, plain

SETTINGS = {
    "mapocam": "p2ce.paper.Mapocam: Alg. 1 as printed, no plausibility; the paper's monotone bound of "
    "logistic regression, its tree bound of LightGBM, none of the MLP. One call per person.",
    "p2ce-ablation": "p2ce.paper.P2CE(partial_plausibility=False): Alg. 2 without lines 20–21.",
    "p2ce": "p2ce.paper.P2CE: Alg. 2 as printed, with the corrections of the errata; the monotone bound of "
    "logistic regression, SHAP estimates of LightGBM (Tree explainer) and the MLP (Deep explainer) at each "
    "partial solution, 100 background rows drawn with the seed. One call per person.",
    "proven": "The default engine, with proven bounds for every model. Timed in a call for each person, "
    "and “in a batch” as a person's share of one explain_many.",
    "authors-mapocam": "The authors' MAPOCAM class from their checkout, set as in their experiments, with "
    "this run's model, candidate values and people; the MLP is called in NumPy, which is quicker than their "
    "pipeline.",
    "authors-ablation": "The authors' P2CE class with estimate_outlier=False, set alike.",
    "authors-p2ce": "The authors' P2CE class, set alike, and with this run's detector in place of "
    "isotree's: equal for whole rows; a cut in a missing column is followed to both sides in proportion, "
    "as isotree does. First seed only.",
    "dice-genetic": "dice-ml 0.12, genetic; given what may change and the ranges of the grid. It takes "
    "no limit on changes. All columns as numbers, as in the authors' code. One option; four "
    "beside three objectives.",
    "dice-free": "The same without ranges, as the paper's example of 97 hours a week shows.",
    "dice-random": "dice-ml 0.12, random, with the ranges.",
    "dice-code": "dice-ml 0.12, random, without ranges: as the authors' code sets it.",
    "nice": "NICEx 0.2.3, proximity, as the authors' code sets it; it knows no constraints and gives one "
    "answer. Calls the model through its own class, as users do; the MLP in NumPy.",
    "ocean": "oceanpy 2.0, constraint programming, on all cores. It has no setting for what may change, so "
    "its solver was given fixed features and ranges as further constraints, outside the clock. It minimises "
    "L₁ on its own 0–1 scale, not c₁; whole columns are rounded to the next number beyond a threshold.",
}


def settings_table(results: Results) -> Table:
    """One row per method that this run has."""
    there = set(results.people["method"])
    rows = [(words.name_of(method), text) for method, text in SETTINGS.items() if method in there]
    return plain("How each method was set", ("Method", "Settings"), rows, 1)
