"""What is to be said about a run as a whole? Its facts, what its tables mean, and how to run it again."""

from collections.abc import Mapping
from typing import Any

from benchmarks.paper.report.differences import DIFFERENCES
from benchmarks.paper.report.results import Results

TITLE = "P²CE: the paper's experiments, run again"
ABOUT = (
    "The experiments of the paper “P²CE: Model-Agnostic Plausible Pareto-Optimal Counterfactual "
    "Explanations”, run by this project in one go: the paper's methods as settings of its engine, the engine "
    "itself (“P²CE, proven”), and the peers DiCE, NICE and OCEAN from their own packages. All of them are "
    "asked about the same people and models, and every answer is judged again here. Small grey figures are "
    "those that the paper published."
)
MEANINGS = {
    "People answered": "Those who got at least one valid answer, of those asked for. An answer is valid when "
    "the model itself gives it a score of at least 0.5; only valid answers count for costs, hypervolumes and "
    "outliers.",
    "Cost c₁": "The mean distance of a person's cheapest answer, in standard deviations: mean ± standard "
    "deviation over the people answered. A method that leaves out hard people looks cheaper; “Proven, same "
    "people” is the mean cost of “P²CE, proven” for exactly the people whom that row answered.",
    "Outliers": "The share of valid answers that the judge, fitted on the test part, calls outliers: an "
    "extended isolation forest, or one with cuts along the axes. In brackets Wilson's 95 % interval, which "
    "counts people, because one person's answers resemble each other.",
    "Time": "Per person. For “P²CE, proven” the person's share of explain_many, verification included, the "
    "same for everybody; “one explain” is a call for one person alone. All other methods are timed call by "
    "call, without starting up or compiling.",
    "True fronts": "How many fronts equal the one of brute force for the question that the method answers "
    "(MAPOCAM's has no plausibility), of those that brute force computed; “true and plausible” compares with "
    "the plausible question's front whatever the method asks.",
    "Wrong answers": "How many of all given answers miss the decision (invalid), break a constraint (not "
    "allowed: fixed features, ranges, whole numbers, at most three changes), are outliers for P²CE's own "
    "detector (implausible), or use values that are no candidates (off the grid).",
}


def facts(results: Results) -> dict[str, str]:
    """The run's facts for readers; what it did not say is left out."""
    run = results.run
    settings = settings_of(run)
    told = {
        "Date": run.get("date"),
        "Commit": run.get("commit"),
        "Machine": run.get("machine"),
        "People": f"{settings['people']} denied people per data set and model"
        if "people" in settings
        else None,
        "Tuning": f"{settings['trials']} Optuna trials per model" if "trials" in settings else None,
        "Rows": f"the first {settings['rows']:,} of each data set" if settings.get("rows") else None,
        "Seed": settings.get("seed"),
        "Command": command(run),
        "Versions": ", ".join(f"{name} {version}" for name, version in _mapping(run, "versions").items()),
    }
    return {name: str(value) for name, value in told.items() if value not in (None, "")}


def is_quick(results: Results) -> bool:
    return bool(results.run.get("quick", False))


def command(run: Mapping[str, Any]) -> str:
    """The command that gives this run again, as far as its settings tell."""
    settings = settings_of(run)
    options = ["--quick"] if run.get("quick") else []
    options += [
        each.other
        for each in DIFFERENCES
        if each.setting is not None and settings.get(each.setting[0]) == each.setting[1]
    ]
    return " ".join(["python -m benchmarks.paper", *options])


def settings_of(run: Mapping[str, Any]) -> Mapping[str, Any]:
    return _mapping(run, "settings")


def reference_point(results: Results) -> str:
    return str(results.run.get("reference_point") or "The run did not say which reference point it took.")


def _mapping(run: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = run.get(name)
    return found if isinstance(found, dict) else {}
