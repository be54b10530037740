"""What the paper says about costs, fronts and hypervolumes."""

import json

import numpy as np
import pandas as pd

from benchmarks.paper.report import words
from benchmarks.paper.report.cells import CellOf, cells
from benchmarks.paper.report.intervals import wilson
from benchmarks.paper.report.results import Results
from benchmarks.paper.report.verdict import Case, Verdict, judge

ROUNDING = 1e-9
PAPER = ("mapocam", "p2ce")
COMPETITIVE = 1.5  # times the cost of P²CE for the same people; the paper does not say what it means
OTHERS = ("mapocam", "dice-genetic", "dice-free", "dice-random", "dice-code", "nice")


def exact_with_trees(results: Results, summary: pd.DataFrame) -> Verdict:
    """The sum of the trees' largest leaves is a bound; two stumps show that it need not be reached."""
    stumps = np.array([[0.0, 1.0], [1.0, 0.0]])  # what each of two trees gives for x = 0 and for x = 1
    by_tree, exact = stumps.max(axis=1).sum(), stumps.sum(axis=0).max()
    cases = [
        Case(
            name="two stumps that cut one feature",
            figures=(f"{by_tree:g}", f"{exact:g}"),
            holds=bool(by_tree == exact),
        )
    ]
    checked = true = 0
    for experiment in ("one", "three"):
        for cell in cells(results, summary, experiment):
            row = cell.row("mapocam") if cell.model == "lightgbm" else None
            if row is not None:
                checked, true = checked + row["fronts_checked"], true + row["fronts_true"]
    return judge(
        "MAPOCAM knows the exact maximum with tree ensembles",
        "Section 2.3",
        "“MAPOCAM is also capable of calculating the exact value of f̄ₐ with tree ensembles.”",
        columns=("Sum of the trees' maxima", "Maximum of the sum"),
        cases=cases,
        says="A counterexample: each tree reaches its largest leaf at another value of the same feature.",
        cause="Following both sides of a cut tree by tree lets one feature have two values at once: it is "
        f"an upper bound, which costs time and no answers ({words.of(true, checked)} of MAPOCAM's fronts on "
        "LightGBM are true).",
    )


def nothing_is_lost(results: Results, summary: pd.DataFrame) -> Verdict:
    """If the SHAP estimate were an upper bound, every front would be the true one."""
    cases, missed, shared, of_linear = [], 0, 0, (0, 0)
    for experiment in ("inlierness", "one", "three"):
        for cell in cells(results, summary, experiment):
            row = cell.row("p2ce")
            if row is None or not row["fronts_checked"]:
                continue
            low, high = wilson(row["fronts_true"] / row["fronts_checked"], row["fronts_checked"])
            mine = cell.people("p2ce")["front_is_true"]
            ablation = cell.people("p2ce-ablation")["front_is_true"]
            both = mine.index.intersection(ablation.index)
            lost = both[mine[both] == 0]
            missed, shared = missed + len(lost), shared + int((ablation[lost] == 0).sum())
            if cell.model == "logistic":
                of_linear = (of_linear[0] + row["fronts_true"], of_linear[1] + row["fronts_checked"])
            figures = (
                "monotone" if cell.model == "logistic" else "SHAP estimate",
                words.of(row["fronts_true"], row["fronts_checked"]),
                f"{100 * low:.0f}–{100 * high:.0f}",
                _true(cell, "authors-p2ce"),
            )
            name = f"{words.name_of(experiment).partition(':')[0]}, {cell.name}"
            judged = None if cell.model == "logistic" else bool(row["fronts_true"] == row["fronts_checked"])
            cases.append(Case(name=name, figures=figures, holds=judged))
    partial_test = (
        f" The test of partial solutions is not what loses them: without it {words.of(shared, missed)} of "
        "the fronts missed with one objective are missed as well."
        if missed
        else ""
    )
    true = [case for case in cases if case.holds is not None]
    return judge(
        "The SHAP estimate loses no solution",
        "Section 4",
        "“We overstate the maximum prediction … this overestimation does not compromise the quality of the "
        "solutions”; “P²CE obtains Pareto-optimal solutions.”",
        columns=("Bound", "True fronts", "95 % interval, %", "Authors' code"),
        cases=cases,
        says=f"All fronts are true in {sum(bool(case.holds) for case in true)} of {len(true)} cells.",
        cause=f"The estimate is no upper bound.{partial_test} With the monotone bound of logistic regression "
        f"{words.of(*of_linear)} of P²CE's fronts are true.",
    )


def plausibility_costs(results: Results, summary: pd.DataFrame) -> Verdict:
    """Dearer and slower than MAPOCAM, in Table 1."""
    cases, dearer, slower, nodes = [], 0, 0, []
    for cell in cells(results, summary, "inlierness"):
        if not cell.has("p2ce", "mapocam"):
            continue
        cost, theirs, _ = cell.same_people("p2ce", "mapocam", "cost")
        seconds, their_seconds, _ = cell.same_people("p2ce", "mapocam", "call")
        visited = " / ".join(
            words.count(cell.people(name)["nodes"].mean()) for name in ("mapocam", "p2ce-ablation", "p2ce")
        )
        nodes.append(f"{words.name_of(cell.data)} {visited}")
        dearer, slower = dearer + (cost >= theirs - ROUNDING), slower + (seconds > their_seconds)
        figures = (
            f"{cost:.3f} / {theirs:.3f}",
            f"{words.seconds(seconds)} / {words.seconds(their_seconds)}",
            visited,
        )
        holds = cost >= theirs - ROUNDING and seconds > their_seconds
        cases.append(Case(name=cell.name, figures=figures, holds=bool(holds)))
    return judge(
        "Plausibility costs distance and time",
        "Section 5.1",
        "“P²CE had a higher average computing time and a higher distance of solutions” than MAPOCAM.",
        columns=("Cost, P²CE / MAPOCAM", "Time, P²CE / MAPOCAM", "Nodes, MAPOCAM / Ablation / P²CE"),
        cases=cases,
        says=f"On the same people the cost is no lower in {dearer} of {len(cases)} cells, the time higher in "
        f"{slower}. The paper's own Table 1 has P²CE faster on Taiwan.",
        cause="The time follows the nodes (MAPOCAM / Ablation / P²CE): rejected solutions add some, the "
        f"test of partial solutions removes others. {'; '.join(nodes)}.",
    )


def lowest_cost(results: Results, summary: pd.DataFrame) -> Verdict:
    """Is P²CE the cheapest of all, on the people that both answered?"""
    cases, cheaper, implausible, lost, of_peers, outside = [], 0, 0, 0, 0, 0
    for cell in cells(results, summary, "one"):
        if not cell.has("p2ce"):
            continue
        mine, figures, holds = cell.cheapest("p2ce"), [], True
        for other in OTHERS:
            ours, theirs, people = cell.same_people("p2ce", other, "cost")
            figures.append(f"{ours:.3f} / {theirs:.3f}" if people else words.NOTHING)
            holds = holds and not (people and theirs < ours - ROUNDING)
            if other != "mapocam":
                given = cell.cheapest(other)
                common = mine.index.intersection(given.index)
                given = given.loc[common][
                    given.loc[common, "mean_distance"] < mine.loc[common, "mean_distance"] - ROUNDING
                ]
                of_peers += len(given)
                outside += int(((given[["plausible", "allowed", "on_grid"]] == 0).any(axis=1)).sum())
        free = cell.cheapest("mapocam")
        both = mine.index.intersection(free.index)
        below = both[free.loc[both, "mean_distance"] < mine.loc[both, "mean_distance"] - ROUNDING]
        cheaper += len(below)
        implausible += int((free.loc[below, "plausible"] == 0).sum())
        lost += int((free.loc[below, "plausible"] == 1).sum())
        cases.append(Case(name=cell.name, figures=tuple(figures), holds=holds))
    return judge(
        "P²CE has the lowest cost",
        "Section 5.2, Figure 2",
        "“In all scenarios, P²CE achieved the lowest cost.”",
        columns=tuple(f"P²CE / {words.name_of(other)}" for other in OTHERS),
        cases=cases,
        says=f"On the same people, MAPOCAM is cheaper than P²CE for {cheaper} of them.",
        cause=f"MAPOCAM may answer with outliers: {implausible} of its {cheaper} cheaper answers are "
        f"implausible to P²CE's own detector, and the other {lost} are ones that P²CE's SHAP estimate "
        f"missed. Of {of_peers} cheaper answers of DiCE and NICE {outside} are implausible, not allowed or "
        "off the grid.",
    )


def nice_is_competitive(results: Results, summary: pd.DataFrame) -> Verdict:
    """Where is NICE nearly as cheap as P²CE?"""
    expected = {("taiwan", "lightgbm"), ("adult", "lightgbm")}
    cases, broken, implausible, given_in_all = [], 0, 0, 0
    for cell in cells(results, summary, "one"):
        ours, theirs, people = cell.same_people("p2ce", "nice", "cost")
        if not people:
            continue
        given = cell.answers("nice")
        broken, implausible = (
            broken + (given["allowed"] == 0).sum(),
            implausible + (given["plausible"] == 0).sum(),
        )
        given_in_all += len(given)
        figures = (
            f"{theirs:.3f} / {ours:.3f}",
            f"{theirs / ours:.2f}",
            words.of((given["plausible"] == 0).sum(), len(given)),
            words.of((given["allowed"] == 0).sum(), len(given)),
        )
        competitive = theirs <= COMPETITIVE * ours
        cases.append(
            Case(
                name=cell.name,
                figures=figures,
                holds=bool(competitive == ((cell.data, cell.model) in expected)),
            )
        )
    return judge(
        "NICE is competitive only on Taiwan and Adult with LightGBM",
        "Section 5.2",
        "“NICE only obtained competitive costs in the Taiwan and Adult dataset with the LGBM model.”",
        columns=("Cost, NICE / P²CE", "Ratio", "NICE implausible", "NICE not allowed"),
        cases=cases,
        says=f"Competitive is taken as at most {COMPETITIVE} times the cost of P²CE for the same people.",
        cause="NICE moves values to those of an accepted training row, whatever the constraints: of its "
        f"answers here {words.of(broken, given_in_all)} are not allowed and "
        f"{words.of(implausible, given_in_all)} implausible.",
    )


def order_of_volumes(results: Results, summary: pd.DataFrame) -> Verdict:
    """MAPOCAM before P²CE before DiCE."""
    cases = []
    for cell in cells(results, summary, "three"):
        if not cell.has("p2ce", "mapocam"):
            continue
        free, ours, people = cell.same_people("mapocam", "p2ce", "volume")
        holds = free >= ours - ROUNDING
        figures = [f"{free:.3f} / {ours:.3f} ({people})"]
        for dice in ("dice-genetic", "dice-free", "dice-code"):
            mine, theirs, both = cell.same_people("p2ce", dice, "volume")
            figures.append(f"{mine:.3f} / {theirs:.3f}" if both else words.NOTHING)
            holds = holds and not (both and theirs >= mine)
        cases.append(Case(name=cell.name, figures=tuple(figures), holds=bool(holds)))
    return judge(
        "Hypervolume: MAPOCAM, then P²CE, then DiCE",
        "Section 5.3, Table 2",
        "“With all datasets and models, MAPOCAM presented the highest volume, closely followed by P²CE”; "
        "DiCE is “not competitive”.",
        columns=(
            "MAPOCAM / P²CE (people)",
            "P²CE / DiCE (genetic)",
            "P²CE / DiCE (genetic, no ranges)",
            "P²CE / DiCE (random, no ranges)",
        ),
        cases=cases,
        says=f"On the same people, in that order in {sum(bool(case.holds) for case in cases)} of "
        f"{len(cases)} cells.",
        cause="MAPOCAM chooses among all points and P²CE among plausible ones, so that no front of P²CE's "
        "can be ahead; DiCE does not minimise these costs.",
    )


def just_enough(results: Results, summary: pd.DataFrame) -> Verdict:
    """How far above 0.5 do solutions lie, in the cell of Table 3?"""
    cases, beyond, switched = [], 0, 0
    cell = CellOf(results=results, summary=summary, experiment="three", data="adult", model="mlp")
    for method in ("mapocam", "p2ce", "proven", "dice-genetic", "dice-free", "dice-code"):
        given = cell.answers(method)
        if given.empty:
            continue
        shown = given["score"].round(2) == 0.5
        holds = None if method == "proven" else shown.mean() > 0.5 if method in PAPER else shown.mean() < 0.5
        figures = (
            f"{given['score'].median():.3f}",
            f"{given['score'].max():.2f}",
            words.per_cent(float(shown.mean())),
            str(len(given)),
        )
        if method in PAPER:
            beyond += int((~shown).sum())
            switched += int(_switches(cell, method, given[~shown]).sum())
        cases.append(
            Case(name=words.name_of(method), figures=figures, holds=None if holds is None else bool(holds))
        )
    return judge(
        "MAPOCAM and P²CE stop at exactly 0.5",
        "Section 5.3, Table 3",
        "“The MAPOCAM and P²CE solutions had exactly f(x) = 0.5 … the DICE solutions had higher values.” "
        "(The paper's own table has 0.54 as well.)",
        columns=("Median f(x)", "Largest", "Written as 0.50, %", "Answers"),
        cases=cases,
        says="All answers for all people on Adult with the MLP, not only the example's.",
        cause="A solution is the first grid value at or beyond the threshold, and what a step changes "
        f"decides how far beyond: {words.of(switched, beyond)} of MAPOCAM's and P²CE's answers above 0.50 "
        "switch a yes-or-no feature, which has only one step.",
    )


def _switches(cell: CellOf, method: str, answers: pd.DataFrame) -> "pd.Series[bool]":
    """Whether an answer changes a feature that is 0 or 1 in all answers and people."""
    people = cell.people(method)["values"].map(json.loads)
    after = answers["values"].map(json.loads)
    every = [*people, *cell.answers(method)["values"].map(json.loads)]
    names = {name for values in every for name in values}
    binary = [name for name in names if {values.get(name) for values in every} <= {0, 1}]
    changed = [
        any(values.get(name) != people[person].get(name) for name in binary)
        for values, person in zip(after, answers["person"], strict=True)
    ]
    return pd.Series(changed, index=answers.index, dtype=bool)


def _true(cell: CellOf, method: str) -> str:
    row = cell.row(method)
    return words.NOTHING if row is None else words.of(row["fronts_true"], row["fronts_checked"])
