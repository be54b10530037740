"""Judge every claim of the paper, and this project's own, by what the run measured.

The words of a claim are in text.yaml, in the order of the paper. Its function here returns the cases that
bear on it and the figures that its words leave open.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from reproduction.names import OURS, WITHOUT_PLAUSIBILITY
from reproduction.report import numbers
from reproduction.report.numbers import NOTHING, name_of, of, per_cent, text
from reproduction.report.results import Cell, Results, in_order, json_object
from reproduction.report.summary import (
    PEOPLE_IN_THE_PAPER,
    WRONG,
    broken_by_kind,
    difference,
    mean_over_people,
    published,
    wilson,
)
from reproduction.report.tables import Table, Text, table

State = Literal["holds", "partly", "fails", "open"]
Figures = dict[str, Any]
SIGNS: dict[State, str] = {"holds": "✓", "partly": "◐", "fails": "✗", "open": "–"}
IN_WORDS: dict[str, dict[State, str]] = {
    "claims": {
        "holds": "reproduced",
        "partly": "reproduced in part",
        "fails": "not confirmed",
        "open": "not testable",
    },
    "checks": {
        "holds": "shown",
        "partly": "shown in part",
        "fails": "not shown",
        "open": "not measured",
    },
}
ROUNDING = 1e-9
VOLUME_ROUNDING = 1e-6  # costs are compared up to rounding, which moves a volume by less than this
COMPETITIVE = 1.5  # times the cost of P²CE for the same people; the paper does not say what it means
MUCH_SLOWER = 10.0
FEW_OUTLIERS = 0.05
AXIS_PARALLEL = "outliers_axis_parallel"
DICE = ("dice-genetic", "dice-free", "dice-random", "dice-code")
RIVALS = ("p2ce", "p2ce-ablation", "authors-p2ce", "authors-ablation")  # same grid, and plausible


class Case(NamedTuple):
    """One study (or method) that bears on a claim: its figures, and whether the claim holds there."""

    name: str
    figures: Sequence[str]
    holds: bool | None = None  # None: shown only


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A claim, whether it holds, what was measured, and the cause."""

    name: str
    where: str  # in the paper
    claim: str
    state: State
    state_in_words: str
    says: str
    cause: str  # derived from what was measured; "" if nothing needs an explanation
    cases: tuple[Case, ...]
    evidence: Table

    @property
    def sign(self) -> str:
        return SIGNS[self.state]


def judge(words: dict[str, Any], kind: str, cases: Sequence[Case], figures: Figures) -> Verdict:
    """Build a verdict. The claim holds if every case does, or at least ``needed`` cases."""
    judged = [bool(case.holds) for case in cases if case.holds is not None]
    state: State = "open"
    if judged:
        state = "holds" if sum(judged) >= words.get("needed", len(judged)) else "partly"
        state = state if any(judged) else "fails"
    counts = {"cells": len(cases), "judged": len(judged), "holding": sum(judged)}
    says = words["says"].format(**counts, **figures) if cases else "This run did not measure it."
    explained = judged and figures.get("explained", True)
    outcome = IN_WORDS[kind][state]
    if state == "partly":
        outcome = f"{IN_WORDS[kind]['holds']} in {sum(judged)} of {max(len(judged), words.get('needed', 0))}"
    marks = {None: Text(NOTHING), True: Text("✓ yes", kind="good"), False: Text("✗ no", kind="bad")}
    names = ("Study", *words["columns"], "Holds")
    rows = [dict(zip(names, (case.name, *case.figures, marks[case.holds]), strict=True)) for case in cases]
    return Verdict(
        name=words["name"],
        where=words["where"],
        claim=words["claim"],
        state=state,
        state_in_words=outcome,
        says=says if judged or not cases else f"{says} These are too few cases for a verdict.",
        cause=words.get("cause", "").format(**counts, **figures) if explained else "",
        cases=tuple(cases),
        evidence=table(f"Evidence: {words['name']}", rows, columns=names),
    )


def claims(results: Results, kind: str = "claims") -> list[Verdict]:
    """Judge all claims of the paper about its experiments, or the "checks" of this project."""
    return [verdict_of(results, name) for name in text()[kind]]


def verdict_of(results: Results, name: str) -> Verdict:
    """Judge one claim, by its key in text.yaml."""
    kind = "claims" if name in text()["claims"] else "checks"
    cases, figures = CLAIMS[name](results)
    return judge(text()[kind][name], kind, cases, figures)


def overview(judged: Iterable[Verdict], title: str = "The paper says") -> Table:
    """Return one row per claim, those that hold first, for the first screen."""
    order, kinds = list(SIGNS), {"holds": "good", "fails": "bad"}
    rows = [
        {
            title: verdict.name,
            "This run": Text(f"{verdict.sign} {verdict.state_in_words}", kind=kinds.get(verdict.state, "")),
        }
        for verdict in sorted(judged, key=lambda verdict: order.index(verdict.state))
    ]
    return table(title, rows, title, "This run")


def tally(judged: Sequence[Verdict]) -> str:
    """Return how many claims of the paper have which verdict: 3 reproduced, 8 reproduced in part."""
    states = [verdict.state for verdict in judged]
    counts = {words: states.count(state) for state, words in IN_WORDS["claims"].items()}
    return ", ".join(f"{count} {words}" for words, count in counts.items() if count)


def toy(results: Results) -> tuple[list[Case], Figures]:
    """Judge Figure 1 by the numbers behind the drawing."""
    drawn = results.json("toy.json")
    try:
        near, far = drawn["mapocam"], drawn["p2ce"]
        holds = near["outlier"] and not far["outlier"] and near["distance"] < far["distance"]
        return [Case("the toy", [f"{one['distance']:.2f}" for one in (near, far)], bool(holds))], {}
    except (KeyError, TypeError):
        return [], {}


def exact_with_trees(results: Results) -> tuple[list[Case], Figures]:
    """Show with two stumps that the sum of the trees' largest leaves is a bound, and not always reached."""
    stumps = np.array([[0.0, 1.0], [1.0, 0.0]])  # what each of two trees gives for x = 0 and for x = 1
    by_tree, exact = stumps.max(axis=1).sum(), stumps.sum(axis=0).max()
    rows = [cell.row("mapocam") for cell in results.cells("one", "three") if cell.model == "lightgbm"]
    true, checked = (
        sum(row[name] for row in rows if row is not None) for name in ("fronts_true", "fronts_checked")
    )
    cases = [Case("two stumps that cut one feature", [f"{by_tree:g}", f"{exact:g}"], bool(by_tree == exact))]
    return cases, {"true": of(true, checked)}


def nothing_is_lost(results: Results) -> tuple[list[Case], Figures]:
    """Check every front. With an upper bound, all of them would be true."""
    cases, missed, shared, linear = [], 0, 0, np.zeros(2)
    for cell in results.cells("inlierness", "one", "three"):
        row = cell.row("p2ce")
        if row is None or not row["fronts_checked"]:
            continue
        counts = row["fronts_true"], row["fronts_checked"]
        low, high = wilson(counts[0] / counts[1], counts[1])
        mine, ablation = (cell.people(name)["front_is_true"] for name in ("p2ce", "p2ce-ablation"))
        both = mine.index.intersection(ablation.index)
        lost = both[mine[both] == 0]
        missed, shared = missed + len(lost), shared + int((ablation[lost] == 0).sum())
        is_linear = cell.model == "logistic"
        linear += counts if is_linear else 0
        authors = cell.row("authors-p2ce")
        figures = [
            "monotone" if is_linear else "SHAP estimate",
            of(*counts),
            f"{100 * low:.0f}–{100 * high:.0f}",
            NOTHING if authors is None else of(authors["fronts_true"], authors["fronts_checked"]),
        ]
        cases.append(Case(cell.long_name, figures, None if is_linear else bool(counts[0] == counts[1])))
    said = text()["claims"]["nothing_is_lost"]["partial_test"].format(shared=of(shared, missed))
    return cases, {"partial_test": f" {said}" if missed else "", "linear": of(*linear)}


def table_1(results: Results) -> tuple[list[Case], Figures]:
    """Check for no outliers on German, and fewer with P²CE than with MAPOCAM on Taiwan and Adult."""
    cases, by_axes, methods = [], [], ("mapocam", "p2ce-ablation", "p2ce")
    for cell in results.cells("inlierness"):
        if not cell.has("p2ce", "mapocam"):
            continue
        shares = [cell.figure(method, "outliers") for method in methods]
        ours, theirs, _ = _outliers(cell)
        none = max(shares) == 0
        holds = none if cell.data == "german" else None if none else bool(ours < theirs)
        there = [method for method in methods if cell.row(method) is not None]
        axes = " / ".join(per_cent(cell.figure(method, AXIS_PARALLEL)) for method in there)
        by_axes += [f"{cell.name} {axes}"] if holds is False else []
        paper = [_published_outliers(cell, method) for method in methods]
        written = " / ".join(numbers.number(100 * share, digits=0) for share in paper)
        cases.append(Case(cell.name, [" / ".join(map(per_cent, shares)), axes, written], holds))
    return cases, {"by_axes": "; ".join(by_axes), "explained": bool(by_axes)}


def plausibility_costs(results: Results) -> tuple[list[Case], Figures]:
    """Check whether P²CE is more expensive and slower than MAPOCAM in Table 1."""
    cases, dearer, slower, nodes = [], 0, 0, []
    for cell in results.cells("inlierness"):
        if not cell.has("p2ce", "mapocam"):
            continue
        cost, their_cost, _ = cell.same_people("p2ce", "mapocam", "cost")
        time, their_time, _ = cell.same_people("p2ce", "mapocam", "call")
        is_dearer, is_slower = bool(cost >= their_cost - ROUNDING), bool(time > their_time)
        dearer, slower = dearer + is_dearer, slower + is_slower
        methods = ("mapocam", "p2ce-ablation", "p2ce")
        visited = " / ".join(numbers.count(cell.people(name)["nodes"].mean()) for name in methods)
        nodes.append(f"{name_of(cell.data)} {visited}")
        figures = [
            f"{cost:.3f} / {their_cost:.3f}",
            f"{numbers.seconds(time)} / {numbers.seconds(their_time)}",
            visited,
        ]
        cases.append(Case(cell.name, figures, is_dearer and is_slower))
    return cases, {"dearer": dearer, "slower": slower, "nodes": "; ".join(nodes)}


def partial_test(results: Results) -> tuple[list[Case], Figures]:
    """Check whether lines 20–21 of Alg. 2 save time."""
    cases, nodes, times = [], np.zeros(2), np.zeros(2)
    for cell in results.cells("inlierness"):
        if not cell.has("p2ce", "p2ce-ablation"):
            continue
        time = cell.same_people("p2ce", "p2ce-ablation", "call")[:2]
        visited = cell.same_people("p2ce", "p2ce-ablation", "nodes")[:2]
        nodes, times = nodes + visited, times + time
        figures = [
            f"{numbers.seconds(time[0])} / {numbers.seconds(time[1])}",
            f"{visited[0]:,.0f} / {visited[1]:,.0f}",
            cell.pair("authors-p2ce", "authors-ablation", "call"),
            cell.pair("authors-p2ce", "authors-ablation", "cells"),
        ]
        cases.append(Case(cell.name, figures, bool(time[0] < time[1])))
    share = 100 * nodes[0] / nodes[1] if nodes[1] else float("nan")
    return cases, {
        "share": numbers.number(share, digits=0),
        "pruned": numbers.number(100 - share, digits=0),
        "each": _per(times[0], nodes[0]),
        "each_without": _per(times[1], nodes[1]),
    }


def lowest_cost(results: Results) -> tuple[list[Case], Figures]:
    """Check whether P²CE is the cheapest, for people with a result from both methods."""
    cases, cheaper, implausible, lost, of_peers, outside = [], 0, 0, 0, 0, 0
    for cell in results.cells("one"):
        if not cell.has("p2ce"):
            continue
        mine, figures, holds = cell.cheapest("p2ce"), [], True
        for other in ("mapocam", *DICE, "nice"):
            ours, theirs, people = cell.same_people("p2ce", other, "cost")
            figures.append(cell.pair("p2ce", other, "cost"))
            holds = holds and not (people and theirs < ours - ROUNDING)
            given = cell.cheapest(other)
            common = mine.index.intersection(given.index)
            below = given.loc[common, "mean_distance"] < mine.loc[common, "mean_distance"] - ROUNDING
            given = given.loc[common][below]
            if other == "mapocam":
                cheaper += len(given)
                implausible += int((given["plausible"] == 0).sum())
                lost += int((given["plausible"] == 1).sum())
            else:
                of_peers += len(given)
                outside += int((given[["plausible", "allowed", "on_grid"]] == 0).any(axis=1).sum())
        cases.append(Case(cell.name, figures, bool(holds)))
    return cases, {
        "cheaper": cheaper,
        "implausible": implausible,
        "lost": lost,
        "of_peers": of_peers,
        "outside": outside,
    }


def trees_cost_more(results: Results) -> tuple[list[Case], Figures]:
    """Compare SHAP with the tree bound on LightGBM."""
    return _faster(cell for cell in results.cells("one") if cell.model == "lightgbm")


def faster_than_mapocam(results: Results) -> tuple[list[Case], Figures]:
    """Compare times in Table 2. In the paper, P²CE is faster in all cells but Adult with LightGBM."""
    return _faster(results.cells("three"))


def _faster(chosen: Iterable[Cell]) -> tuple[list[Case], Figures]:
    cases, explanations, time = [], 0.0, 0.0
    for cell in chosen:
        if not cell.has("p2ce", "mapocam"):
            continue
        ours, theirs, people = cell.same_people("p2ce", "mapocam", "call")
        late = cell.figure("mapocam", "people") - cell.figure("mapocam", "finished")
        explained = cell.people("p2ce")["explanations"].mean()
        explanations, time = explanations + explained, time + ours
        figures = [
            f"{numbers.seconds(ours)} / {numbers.seconds(theirs)}",
            f"{people}, {late:.0f} not finished",
            cell.pair("p2ce", "mapocam", "cells"),
            numbers.number(explained, digits=0),
            cell.pair("authors-p2ce", "authors-mapocam", "call"),
        ]
        cases.append(Case(cell.name, figures, bool(ours < theirs)))
    return cases, {"each": _per(time, explanations)}


def seconds_against_minutes(results: Results) -> tuple[list[Case], Figures]:
    """Compare times on Taiwan with the MLP. In the paper they are 100 s and less than 1 s."""
    cases, ratios, said = [], [], ""
    for cell in results.cells("one", "three"):
        if (cell.data, cell.model) != ("taiwan", "mlp") or not cell.has("p2ce", "mapocam"):
            continue
        ours, theirs, people = cell.same_people("p2ce", "mapocam", "call")
        few, many, _ = cell.same_people("p2ce", "mapocam", "cells")
        ratios.append(numbers.count(many / few))
        calls = cell.people("authors-mapocam")["calls"].mean()
        paper = published(cell.experiment, "taiwan", "mlp", "mapocam")["published_seconds"]
        if paper > 0 and calls > 0:
            each = numbers.seconds(paper / calls)
            words = text()["claims"]["seconds_against_minutes"]["calls"]
            said = f" {words.format(count=calls, seconds=paper, each=each)}"
        figures = [
            f"{numbers.seconds(ours)} / {numbers.seconds(theirs)}",
            str(people),
            cell.pair("p2ce", "mapocam", "cells"),
            cell.pair("authors-p2ce", "authors-mapocam", "call"),
        ]
        name = name_of(cell.experiment).partition(":")[0]
        cases.append(Case(name, figures, bool(theirs >= MUCH_SLOWER * ours)))
    return cases, {"limit": MUCH_SLOWER, "ratios": " and ".join(ratios), "calls": said}


def peers_are_faster(results: Results) -> tuple[list[Case], Figures]:
    """Compare the times of DiCE and NICE with P²CE in Figure 2."""
    cases, engine, time, explained, their_time, rows = [], [], 0.0, 0.0, 0.0, 0.0
    for cell in results.cells("one"):
        for peer in ("dice-genetic", "dice-code", "nice"):
            if not cell.has("p2ce", peer):
                continue
            ours, theirs, _ = cell.same_people("p2ce", peer, "call")
            proven, _, both = cell.same_people("proven", peer, "call")
            engine += [proven < theirs] if both else []
            explanations = cell.people("p2ce")["explanations"].mean()
            time, explained = time + ours, explained + explanations
            their_time, rows = their_time + theirs, rows + cell.people(peer)["cells"].mean()
            figures = [
                f"{numbers.seconds(theirs)} / {numbers.seconds(ours)}",
                numbers.seconds(proven),
                cell.pair(peer, "p2ce", "cells"),
                numbers.number(explanations, digits=0),
            ]
            cases.append(Case(f"{cell.name}, {name_of(peer)}", figures, bool(theirs < ours)))
    return cases, {
        "engine": sum(engine),
        "engines": len(engine),
        "each": _per(time, explained),
        "each_row": _per(their_time, rows),
    }


def nice_is_competitive(results: Results) -> tuple[list[Case], Figures]:
    """Check where NICE is nearly as cheap as P²CE."""
    cases, broken, implausible, given_in_all = [], 0, 0, 0
    for cell in results.cells("one"):
        ours, theirs, people = cell.same_people("p2ce", "nice", "cost")
        if not people:
            continue
        given = cell.answers("nice")
        not_allowed, outliers = ((given[name] == 0).sum() for name in ("allowed", "plausible"))
        broken, implausible = broken + not_allowed, implausible + outliers
        given_in_all += len(given)
        figures = [
            f"{theirs:.3f} / {ours:.3f}",
            f"{theirs / ours:.2f}",
            of(outliers, len(given)),
            of(not_allowed, len(given)),
        ]
        expected = cell.model == "lightgbm" and cell.data != "german"
        cases.append(Case(cell.name, figures, bool((theirs <= COMPETITIVE * ours) == expected)))
    return cases, {
        "limit": COMPETITIVE,
        "broken": of(broken, given_in_all),
        "implausible": of(implausible, given_in_all),
    }


def fewer_than_5(results: Results) -> tuple[list[Case], Figures]:
    """Check whether P²CE stays below 5 % in all cases of Figure 2."""
    cases, above, by_axes = [], 0, 0
    for cell in results.cells("one"):
        row = cell.row("p2ce")
        if row is None or np.isnan(row["outliers"]):
            continue
        few, other = bool(row["outliers"] < FEW_OUTLIERS), row[AXIS_PARALLEL]
        above, by_axes = above + (not few), by_axes + bool(not few and other < FEW_OUTLIERS)
        figures = [
            numbers.share_within(row["outliers"], row["outliers_low"], row["outliers_high"]),
            per_cent(other),
            of(row["implausible"], row["given"]),
        ]
        cases.append(Case(cell.name, figures, few))
    return cases, {"above": above, "by_axes": by_axes, "explained": above > 0}


def fewer_than_mapocam(results: Results) -> tuple[list[Case], Figures]:
    """Check for significantly fewer outliers than MAPOCAM with the MLP."""
    cases, both, sums = [], 0, np.zeros(2)
    for cell in results.cells("one"):
        ours, theirs, people = _outliers(cell)
        if cell.model != "mlp" or not people:
            continue
        both, sums = both + people, sums + np.array([ours, theirs]) * people
        low, high = difference(ours, people, theirs, people)
        # A difference within chance decides nothing.
        holds = True if high < 0 else False if ours >= theirs and theirs > 0 else None
        figures = [
            f"{per_cent(ours)} / {per_cent(theirs)}",
            f"{numbers.points(low)} to {numbers.points(high)}",
            str(people),
        ]
        cases.append(Case(cell.name, figures, holds))
    pooled = ""
    if both:
        lower, upper = map(numbers.points, difference(sums[0] / both, both, sums[1] / both, both))
        pooled = text()["claims"]["fewer_than_mapocam"]["pooled"].format(people=both, low=lower, high=upper)
    return cases, {"pooled": pooled}


def order_of_volumes(results: Results) -> tuple[list[Case], Figures]:
    """Check the order of the volumes: MAPOCAM, P²CE, DiCE."""
    cases = []
    for cell in results.cells("three"):
        if not cell.has("p2ce", "mapocam"):
            continue
        free, ours, people = cell.same_people("mapocam", "p2ce", "volume")
        holds, figures = free >= ours - ROUNDING, [f"{free:.3f} / {ours:.3f} ({people})"]
        for dice in ("dice-genetic", "dice-free", "dice-code"):
            mine, theirs, both = cell.same_people("p2ce", dice, "volume")
            figures.append(cell.pair("p2ce", dice, "volume"))
            holds = holds and not (both and theirs >= mine)
        cases.append(Case(cell.name, figures, bool(holds)))
    return cases, {}


def dice(results: Results) -> tuple[list[Case], Figures]:
    """Check for 83 to 93 % outliers of DiCE on Taiwan and Adult, and 20 % on German."""
    cases, as_in_code, nearest = [], 0, []
    for cell in results.cells("three"):
        row, paper = cell.row("dice-free"), _published_outliers(cell, "dice-free")
        if row is None or np.isnan(paper) or np.isnan(row["outliers"]):
            continue
        low, high = difference(row["outliers"], row["answered"], paper, PEOPLE_IN_THE_PAPER)
        shares = {name: cell.figure(name, "outliers") for name in DICE}
        nearest.append(min(shares, key=lambda name: abs(shares[name] - paper)))
        code = cell.row("dice-code")
        if code is not None and code["answered"]:
            apart = difference(code["outliers"], code["answered"], paper, PEOPLE_IN_THE_PAPER)
            as_in_code += apart[0] <= 0 <= apart[1]
        by_axes = cell.figure("dice-free", AXIS_PARALLEL)
        figures = [f"{100 * paper:.0f}", *map(per_cent, shares.values()), per_cent(by_axes)]
        cases.append(Case(cell.name, figures, bool(low <= 0 <= high)))
    counts = ", ".join(f"{name_of(name)} in {nearest.count(name)}" for name in sorted(set(nearest)))
    return cases, {"as_in_code": as_in_code, "nearest": counts}


def example(results: Results) -> tuple[list[Case], Figures]:
    """Judge Table 3 by the methods' own detector, for all people of its cell."""
    cell, cases = _cell_of_the_example(results), []
    for method, expected in (
        ("p2ce", "none"),
        ("mapocam", "most"),
        ("dice-free", "all"),
        ("dice-code", "all"),
    ):
        given = cell.answers(method)
        if given.empty:
            continue
        outlier = given["plausible"] == 0
        share = float(outlier.mean())
        held = {"none": share == 0, "most": share > 0.5, "all": share == 1}[expected]
        cases.append(
            Case(name_of(method), [of(outlier.sum(), len(given)), per_cent(share), expected], bool(held))
        )
    inliers = {
        method: given.groupby("person")["plausible"].sum()
        for method in ("mapocam", "dice-free", "p2ce")
        if len(given := cell.answers(method))
    }
    like, people = 0, 0
    if len(inliers) == 3:
        beside = pd.concat(inliers, axis=1).dropna()
        like, people = int(((beside["dice-free"] == 0) & (beside["mapocam"] <= 1)).sum()), len(beside)
    return cases, {"like": of(like, people)}


def just_enough(results: Results) -> tuple[list[Case], Figures]:
    """Check how far above 0.5 the scores of solutions are, in the cell of Table 3."""
    cell, cases, beyond, switched = _cell_of_the_example(results), [], 0, 0
    for method in ("mapocam", "p2ce", "proven", "dice-genetic", "dice-free", "dice-code"):
        given = cell.answers(method)
        if given.empty:
            continue
        shown, papers = given["score"].round(2) == 0.5, method in ("mapocam", "p2ce")
        share = float(shown.mean())
        holds = None if method == "proven" else share > 0.5 if papers else share < 0.5
        if papers:
            beyond += int((~shown).sum())
            switched += _switching(cell, method, given[~shown])
        figures = [
            f"{given['score'].median():.3f}",
            f"{given['score'].max():.2f}",
            per_cent(share),
            str(len(given)),
        ]
        cases.append(Case(name_of(method), figures, holds))
    return cases, {"switched": of(switched, beyond)}


def _switching(cell: Cell, method: str, answers: pd.DataFrame) -> int:
    """Count the counterfactuals that change a feature with no values but 0 and 1."""
    people = cell.people(method)["values"].map(json_object)
    every = [*people, *cell.answers(method)["values"].map(json_object)]
    names = {name for values in every for name in values}
    binary = [name for name in names if {values.get(name) for values in every} <= {0, 1}]
    pairs = zip(answers["values"].map(json_object), answers["person"], strict=True)
    return sum(
        any(values.get(name) != people[person].get(name) for name in binary) for values, person in pairs
    )


def best_fronts(results: Results) -> tuple[list[Case], Figures]:
    """Check that no method has a better result, and that every proven front is that of brute force."""
    cases, better, compared = [], 0, 0
    for cell in results.cells("inlierness", "one", "three", "forests"):
        row = cell.row("proven")
        if row is None:
            continue
        column, sign = ("volume", 1.0) if cell.experiment == "three" else ("cost", -1.0)
        ours = (sign * cell.people("proven")[column]).fillna(-np.inf)
        worse: set[int] = set()
        people: set[int] = set()
        for rival in RIVALS:
            theirs = (sign * cell.people(rival)[column]).fillna(-np.inf)
            common = ours.index.intersection(theirs.index)
            people |= set(common)
            worse |= set(common[ours[common] < theirs[common] - VOLUME_ROUNDING])
        better, compared = better + len(worse), compared + len(people)
        wrong = bool(worse) or row["fronts_true"] < row["fronts_checked"]
        figures = [
            of(len(worse), len(people)),
            of(row["fronts_true"], row["fronts_checked"]),
            f"{row['requested']:.0f}",
        ]
        complete = row["fronts_checked"] == row["requested"]
        cases.append(Case(cell.long_name, figures, False if wrong else True if complete else None))
    summary = results.summary
    proven = summary[summary["method"] == "proven"] if len(cases) else pd.DataFrame()
    true, checked = (proven[name].sum() if len(cases) else 0 for name in ("fronts_true", "fronts_checked"))
    return cases, {"true": true, "checked": checked, "better": better, "compared": compared}


def nothing_broken(results: Results) -> tuple[list[Case], Figures]:
    """Check that no counterfactual of this project is wrong, and count those of other methods."""
    counts, cases = in_order(broken_by_kind(results.answers, []), ["method"]), []
    for row in counts.to_dict("records"):
        wrong = row["invalid"] + row["not_allowed"] + row["off_grid"]
        wrong += 0 if row["method"] in WITHOUT_PLAUSIBILITY else row["implausible"]
        figures = [f"{row[name]:,}" for name in ("given", *WRONG)]
        cases.append(Case(name_of(row["method"]), figures, wrong == 0 if row["method"] in OURS else None))
    ours = counts["method"].isin(OURS)
    sums = (
        {name: found[name].sum() for name in counts if name != "method"}
        for found in (counts[ours], counts[~ours])
    )
    return cases, dict(zip(("ours", "theirs"), sums, strict=True))


CLAIMS: dict[str, Callable[[Results], tuple[list[Case], Figures]]] = {
    made.__name__: made
    for made in (
        toy,
        exact_with_trees,
        nothing_is_lost,
        table_1,
        plausibility_costs,
        partial_test,
        lowest_cost,
        trees_cost_more,
        seconds_against_minutes,
        peers_are_faster,
        nice_is_competitive,
        fewer_than_5,
        fewer_than_mapocam,
        order_of_volumes,
        faster_than_mapocam,
        dice,
        example,
        just_enough,
        best_fronts,
        nothing_broken,
    )
}


def _cell_of_the_example(results: Results) -> Cell:
    return Cell(results=results, experiment="three", data="adult", model="mlp")


def _outliers(cell: Cell) -> tuple[float, float, int]:
    """Return the outlier shares of P²CE and MAPOCAM for people with results from both, and their number."""
    one, two = cell.answers("p2ce"), cell.answers("mapocam")
    both = set(one["person"]) & set(two["person"])
    ours, theirs = (mean_over_people(found[found["person"].isin(both)], "outlier") for found in (one, two))
    return ours, theirs, len(both)


def _published_outliers(cell: Cell, method: str) -> float:
    return published(cell.experiment, cell.data, cell.model, method)["published_outliers"]


def _per(time: float, count: float) -> str:
    return numbers.seconds(time / count if count else float("nan"))
