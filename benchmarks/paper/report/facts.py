"""What is to be said about a run as a whole? Its facts, what its tables mean, and how to run it again."""

from collections.abc import Mapping
from typing import Any

from benchmarks.paper.report.differences import DIFFERENCES
from benchmarks.paper.report.results import Results

TITLE = "P²CE: the paper's experiments, run again"
ABOUT = (
    "The experiments of the paper “P²CE: Model-Agnostic Plausible Pareto-Optimal Counterfactual "
    "Explanations”, run by this project in one go: the paper's algorithms, literal and with their errata "
    "corrected, the default engine (“P²CE, proven”), and the peers DiCE, NICE and OCEAN from their own "
    "packages. All of them are "
    "run on the same people and models, and every answer is judged again here. Small grey figures are "
    "those that the paper published."
)
MEANINGS = {
    "Seeds": "A seed draws the split, the training, the people, the detector and the SHAP background anew. "
    "Costs, hypervolumes, times and counts are means over seeds of each seed's mean over people; in brackets "
    "Student's 95 % interval for that mean, from the seeds' means, where there are at least two. Shares "
    "(outliers, true fronts) are of the people of all seeds, with Wilson's 95 % interval. The paper's ± "
    "are standard deviations over 50 people.",
    "People answered": "Those who got at least one valid answer, of those requested. An answer is valid when "
    "the model itself gives it a score of at least 0.5; only valid answers count for costs, hypervolumes and "
    "outliers. “Not finished” within the time limit counts as not answered, and its time as the limit. "
    "Some rows are of fewer people: compare them by “Proven, same people”, or by the verdicts, which take "
    "the same people.",
    "Cost c₁": "The mean distance of a person's cheapest answer, in standard deviations, over the people "
    "answered. A method that leaves out hard people looks cheaper; “Proven, same "
    "people” is the mean cost of “P²CE, proven” for exactly the people that that row answered. A peer's "
    "answers count though they be implausible, not allowed or off the grid, so that a peer may look cheaper "
    "than what is proven best among the allowed.",
    "Hypervolume": "The share of the cost space that a person's answers dominate, "
    "over all people, 0 for one without an answer. “Hypervolume” is measured as in the authors' code, from "
    "the largest costs that any method had, and stands beside the paper's; “by the grid” does not depend on "
    "who else was run. Both reference points are stated above Table 2.",
    "Outliers": "Each person's share of valid answers that the judge calls outliers, mean over the people "
    "answered, as in the authors' code. The judge is "
    "fitted on the test part: an extended isolation forest of 500 trees on 256 rows each, with cuts in all "
    "directions, placed between the ends of the node's rows; or one with cuts along the axes.",
    "Time": "Of a call for one person alone, verification included, without starting up or compiling: the "
    "median, and the mean. “In a batch” is the person's share of one explain_many for all people of a "
    "seed, the median of several; only “P²CE, proven” was timed so.",
    "Model calls, cells evaluated, SHAP explanations": "Per person. Calls of the model itself, of any "
    "number of rows: what this project parses it evaluates without a call, and calls the model for "
    "verification. Cells (for peers: rows) that were evaluated by any means; of the authors' code, "
    "distinct ones. Points at which SHAP values were computed during the search.",
    "True fronts": "How many fronts equal the one of brute force for the question that the method answers "
    "(MAPOCAM's has no plausibility), of those that finished; “true and plausible” compares with "
    "the plausible question's front whatever the method requires.",
    "Wrong answers": "How many of all given answers miss the decision (invalid), break a constraint (not "
    "allowed: fixed features, ranges, whole numbers, at most three changes), are outliers for P²CE's own "
    "detector (implausible), or use values that are no candidates (off the grid).",
}


def facts(results: Results) -> dict[str, str]:
    """The run's facts for readers; what it did not say is left out."""
    run = results.run
    settings = settings_of(run)
    known = {
        "Date": run.get("date"),
        "Commit": run.get("commit"),
        "Machine": run.get("machine"),
        **_effort(_mapping(run, "effort"), settings),
        "Rows": f"the first {settings['rows']:,} of each data set" if settings.get("rows") else None,
        "Authors' code": f"github.com/hiaac-finance/p2ce at {run['authors']}" if run.get("authors") else None,
        "Command": command(run),
        "Versions": ", ".join(f"{name} {version}" for name, version in _mapping(run, "versions").items()),
    }
    return {name: str(value) for name, value in known.items() if value not in (None, "")}


def _effort(effort: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, str]:
    """How many seeds, people and trials, and for whom there were fewer."""
    if not effort:
        return {}
    limits, later = effort["limits"], effort["seeds"] > 1

    def and_later(first: int, name: str) -> str:
        return (
            f"{first} with the first seed, {min(first, effort[name])} with each later one"
            if later
            else str(first)
        )

    return {
        "Seeds": f"{effort['seeds']}",
        "People": f"{and_later(settings['people'], 'later_people')}, denied, per data set and model",
        "Slow methods": f"MAPOCAM on the MLP: {and_later(limits['slow_people'], 'later_slow_people')}; the "
        f"authors' code: {limits['authors_people']}, first seed only; random forests, which the paper has "
        f"not: first seed only; at most {limits['seconds']:g} s per person",
        "Tuning": f"Optuna, trials per model: {and_later(settings['trials'], 'later_trials')}",
    }


def is_quick(results: Results) -> bool:
    return bool(results.run.get("quick", False))


def in_short(results: Results) -> str:
    """Date, seeds and commit, for one line."""
    run, effort = results.run, _mapping(results.run, "effort")
    seeds = effort.get("seeds")
    known = (run.get("date"), f"{seeds} seed{'s' if seeds != 1 else ''}" if seeds else "", run.get("commit"))
    return ", ".join(str(part) for part in known if part)


def command(run: Mapping[str, Any]) -> str:
    """The command that gave this run; of one that did not say, as far as its settings show."""
    if run.get("command"):
        return str(run["command"])
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


def left_out(results: Results) -> list[str]:
    """What the command line left out of the run."""
    return [f"Left out: {left}." for left in results.run.get("left_out") or ()]


def reference_point(results: Results) -> str:
    return str(results.run.get("reference_point") or "The run did not say which reference point it took.")


def _mapping(run: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = run.get(name)
    return found if isinstance(found, dict) else {}
