"""What the paper says about outliers, by both judges and by P²CE's own detector."""

import json

import numpy as np
import pandas as pd

from benchmarks.paper.report import words
from benchmarks.paper.report.cells import CellOf, cells
from benchmarks.paper.report.intervals import difference
from benchmarks.paper.report.published import ONE_OBJECTIVE_OUTLIERS_BELOW, PEOPLE, published
from benchmarks.paper.report.results import Results
from benchmarks.paper.report.verdict import Case, Verdict, judge

BELOW = ONE_OBJECTIVE_OUTLIERS_BELOW / 100
PAPER = ("mapocam", "p2ce-ablation", "p2ce")
AXIS_PARALLEL = "outliers_axis_parallel"


def toy(results: Results) -> Verdict:
    """Figure 1, from the numbers that were drawn."""
    try:
        drawn = json.loads((results.folder / "results" / "toy.json").read_text("utf-8"))
        near, far = drawn["mapocam"], drawn["p2ce"]
        cases = [
            Case(
                name="the toy",
                figures=(f"{near['distance']:.2f}", f"{far['distance']:.2f}"),
                holds=bool(near["outlier"] and not far["outlier"] and near["distance"] < far["distance"]),
            )
        ]
    except (OSError, ValueError, KeyError, TypeError):
        cases = []
    return judge(
        "The nearest solution is an outlier, P²CE's is not",
        "Figure 1",
        "“While the triangle explanation is close, it is outside the data distribution. The square point "
        "is the closest point inside.”",
        columns=("Distance of MAPOCAM's", "Distance of P²CE's"),
        cases=cases,
        says="By the isolation forest, on data of our own: the paper's are not published.",
    )


def table_1(results: Results, summary: pd.DataFrame) -> Verdict:
    """None on German; fewer by P²CE than by MAPOCAM on Taiwan and Adult."""
    cases, by_axes = [], []
    for cell in cells(results, summary, "inlierness"):
        if not cell.has("p2ce", "mapocam"):
            continue
        shares = {method: _share(cell, method) for method in PAPER}
        ours, theirs, _ = cell.outliers("p2ce", "mapocam")
        none = max(shares.values()) == 0
        holds = none if cell.data == "german" else None if none else bool(ours < theirs)
        rows = [row for method in PAPER if (row := cell.row(method)) is not None]
        axes = " / ".join(words.per_cent(row[AXIS_PARALLEL]) for row in rows)
        if holds is False:
            by_axes.append(f"{cell.name} {axes}")
        figures = (
            " / ".join(words.per_cent(share) for share in shares.values()),
            axes,
            " / ".join(_paper(cell, method) for method in PAPER),
        )
        cases.append(Case(name=cell.name, figures=figures, holds=holds))
    cause = "" if not by_axes else f"By cuts along the axes, as in the authors' code: {'; '.join(by_axes)} %."
    return judge(
        "Table 1: no outliers on German, fewer by P²CE on Taiwan and Adult",
        "Section 5.1, Table 1",
        "“On German Credit, none of the techniques have presented outliers. In Taiwan and Adult P²CE "
        "generates fewer outlier counterfactual explanations than MAPOCAM.”",
        columns=("MAPOCAM / Ablation / P²CE, %", "Axis-parallel judge, %", "Paper, %"),
        cases=cases,
        says="Shares by the extended judge; a cell without any outlier says nothing of fewer.",
        cause=cause,
    )


def fewer_than_5(results: Results, summary: pd.DataFrame) -> Verdict:
    """P²CE below 5 % in all cases of Figure 2."""
    cases, above, by_axes = [], 0, 0
    for cell in cells(results, summary, "one"):
        row = cell.row("p2ce")
        if row is None or np.isnan(row["outliers"]):
            continue
        other = _share(cell, "p2ce", by=AXIS_PARALLEL)
        above += row["outliers"] >= BELOW
        by_axes += bool(row["outliers"] >= BELOW and other < BELOW)
        figures = (
            words.share_within(row["outliers"], row["outliers_low"], row["outliers_high"]),
            words.per_cent(other),
            words.of(row["implausible"], row["given"]),
        )
        cases.append(Case(name=cell.name, figures=figures, holds=bool(row["outliers"] < BELOW)))
    return judge(
        "P²CE: fewer than 5 % outliers in all cases",
        "Section 5.2, Figure 2",
        "“In all cases, P²CE has an outlier rate of less than 5 %.”",
        columns=("Extended judge, % [95 %]", "Axis-parallel judge, %", "By P²CE's own detector"),
        cases=cases,
        says=f"Above 5 % in {above} of {len(cases)} cells.",
        cause=f"The judge: with cuts along the axes, as in the authors' code, {by_axes} of these {above} "
        "are below 5 %. P²CE's own detector accepts all of its answers; another forest on other rows does "
        "not agree with it."
        if above
        else "",
    )


def fewer_than_mapocam(results: Results, summary: pd.DataFrame) -> Verdict:
    """Significantly fewer outliers than MAPOCAM with the MLP."""
    cases, both, our_sum, their_sum = [], 0, 0.0, 0.0
    for cell in cells(results, summary, "one"):
        ours, theirs, people = cell.outliers("p2ce", "mapocam")
        if cell.model != "mlp" or not people:
            continue
        both, our_sum, their_sum = both + people, our_sum + ours * people, their_sum + theirs * people
        low, high = difference(ours, people, theirs, people)
        # Fewer, but within chance, is neither.
        holds = True if high < 0 else False if ours >= theirs and theirs > 0 else None
        figures = (
            f"{words.per_cent(ours)} / {words.per_cent(theirs)}",
            f"{words.points(low)} to {words.points(high)}",
            str(people),
        )
        cases.append(Case(name=cell.name, figures=figures, holds=holds))
    pooled = ""
    if both:
        low, high = difference(our_sum / both, both, their_sum / both, both)
        pooled = f"Of all {both} together: {words.points(low)} to {words.points(high)} points."
    return judge(
        "Significantly fewer outliers than MAPOCAM with the MLP",
        "Section 5.2, Figure 2",
        "“P²CE significantly exceeded the results from MAPOCAM with the MLP model.”",
        columns=("P²CE / MAPOCAM, %", "Difference, 95 % interval, points", "People"),
        cases=cases,
        says=f"Newcombe's interval of the difference, on the people that both answered. {pooled}",
        cause="P²CE's detector and the judge are different forests: what the one accepts the other may not.",
    )


def dice(results: Results, summary: pd.DataFrame) -> Verdict:
    """83 to 93 % on Taiwan and Adult, 20 % on German."""
    cases, as_in_code = [], 0
    nearest: list[str] = []
    for cell in cells(results, summary, "three"):
        row, paper = cell.row("dice-free"), published("three", cell.data, cell.model, "dice-free")
        if row is None or paper is None or np.isnan(row["outliers"]):
            continue
        share = paper.outliers / 100
        low, high = difference(row["outliers"], row["answered"], share, PEOPLE)
        others = {
            name: _share(cell, name) for name in ("dice-genetic", "dice-free", "dice-random", "dice-code")
        }
        nearest.append(min(others, key=lambda name: abs(others[name] - share)))
        code = cell.row("dice-code")
        if code is not None and code["answered"]:
            apart = difference(code["outliers"], code["answered"], share, PEOPLE)
            as_in_code += apart[0] <= 0 <= apart[1]
        figures = (
            f"{paper.outliers:.0f}",
            *(words.per_cent(others[name]) for name in others),
            words.per_cent(_share(cell, "dice-free", by=AXIS_PARALLEL)),
        )
        cases.append(Case(name=cell.name, figures=figures, holds=bool(low <= 0 <= high)))
    count = ", ".join(
        f"{words.name_of(name)} in {nearest.count(name)}" for name in dict.fromkeys(sorted(nearest))
    )
    return judge(
        "DiCE: 83 to 93 % outliers on Taiwan and Adult, 20 % on German",
        "Section 5.3, Table 2",
        "Table 2: 20 % on German, 83 and 93 % on Taiwan, 90 and 87 % on Adult.",
        columns=(
            "Paper, %",
            "Genetic, %",
            "Genetic, no ranges, %",
            "Random, %",
            "Random, no ranges, %",
            "Genetic, no ranges, axis-parallel judge, %",
        ),
        cases=cases,
        says="A case holds if the interval of the difference (genetic, no ranges, minus the paper) holds 0.",
        cause="The method: with the random one and no ranges, as the authors' code sets DiCE, the interval "
        f"of the difference holds 0 in {as_in_code} of {len(cases)} cells. Nearest to the paper is {count}.",
    )


def example(results: Results, summary: pd.DataFrame) -> Verdict:
    """Table 3 by the methods' own detector, for all people of its cell."""
    cell = CellOf(results=results, summary=summary, experiment="three", data="adult", model="mlp")
    cases = []
    for method, holds in (("p2ce", "none"), ("mapocam", "most"), ("dice-free", "all"), ("dice-code", "all")):
        given = cell.answers(method)
        if given.empty:
            continue
        share = float((given["plausible"] == 0).mean())
        held = {"none": share == 0, "most": share > 0.5, "all": share == 1}[holds]
        figures = (words.of((given["plausible"] == 0).sum(), len(given)), words.per_cent(share), holds)
        cases.append(Case(name=words.name_of(method), figures=figures, holds=bool(held)))
    inliers = {
        method: given.groupby("person")["plausible"].sum()
        for method in ("mapocam", "dice-free", "p2ce")
        if len(given := cell.answers(method))
    }
    like, people = 0, 0
    if len(inliers) == 3:
        beside = pd.concat(inliers, axis=1).dropna()
        like, people = int(((beside["dice-free"] == 0) & (beside["mapocam"] <= 1)).sum()), len(beside)
    return judge(
        "The example: outliers are all of DiCE's, most of MAPOCAM's, none of P²CE's",
        "Section 5.3, Table 3",
        "“All solutions provided by Dice were outliers and MAPOCAM just presented one in-distribution "
        "solution.”",
        columns=("Outliers by P²CE's own detector", "%", "In the paper"),
        cases=cases,
        says="All answers for all people on Adult with the MLP: one person proves nothing.",
        cause=f"It depends on the person: {words.of(like, people)} people have it as in the paper (no "
        "inlier of DiCE's, at most one of MAPOCAM's, all of P²CE's).",
    )


def _share(cell: CellOf, method: str, *, by: str = "outliers") -> float:
    row = cell.row(method)
    return float("nan") if row is None else float(row[by])


def _paper(cell: CellOf, method: str) -> str:
    found = published(cell.experiment, cell.data, cell.model, method)
    return words.NOTHING if found is None else f"{found.outliers:.0f}"
