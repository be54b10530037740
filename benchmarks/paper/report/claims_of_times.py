"""What the paper says about computing times, beside the work that was counted."""

import pandas as pd

from benchmarks.paper.report import words
from benchmarks.paper.report.cells import CellOf, cells
from benchmarks.paper.report.published import published
from benchmarks.paper.report.results import Results
from benchmarks.paper.report.verdict import Case, Verdict, judge

MUCH_SLOWER = 10.0


def partial_test(results: Results, summary: pd.DataFrame) -> Verdict:
    """Does lines 20–21 of Alg. 2 save time?"""
    cases, nodes, without, time, time_without = [], 0.0, 0.0, 0.0, 0.0
    for cell in cells(results, summary, "inlierness"):
        if not cell.has("p2ce", "p2ce-ablation"):
            continue
        ours, ablation, _ = cell.same_people("p2ce", "p2ce-ablation", "call")
        some, all_of_them, _ = cell.same_people("p2ce", "p2ce-ablation", "nodes")
        nodes, without = nodes + some, without + all_of_them
        time, time_without = time + ours, time_without + ablation
        figures = (
            f"{words.seconds(ours)} / {words.seconds(ablation)}",
            f"{some:,.0f} / {all_of_them:,.0f}",
            _pair(cell, "authors-p2ce", "authors-ablation", "call"),
            _pair(cell, "authors-p2ce", "authors-ablation", "cells"),
        )
        cases.append(Case(name=cell.name, figures=figures, holds=bool(ours < ablation)))
    share = 100 * nodes / without if without else float("nan")
    each, each_without = _per(time, nodes), _per(time_without, without)
    return judge(
        "Testing partial solutions saves time",
        "Section 5.1, Table 1",
        "“Evaluating if partial solutions are already outliers can help the algorithm in avoid[ing] "
        "unnecessary search.” (P²CE against P²CE (Ablation).)",
        columns=(
            "Time, P²CE / Ablation",
            "Nodes",
            "Authors' time",
            "Authors' cells",
        ),
        cases=cases,
        says=f"With the test, {words.number(share, digits=0)} % of the nodes are visited." if cases else "",
        cause=f"The test prunes {words.number(100 - share, digits=0)} % of the nodes, but a node takes "
        f"{each} with it and {each_without} without: it pays where the nodes fall by more than that.",
    )


def trees_cost_more(results: Results, summary: pd.DataFrame) -> Verdict:
    """On LightGBM: SHAP against the tree bound."""
    return _faster(
        [cell for cell in cells(results, summary, "one") if cell.model == "lightgbm"],
        "MAPOCAM's tree bound costs more than SHAP",
        "Section 5.2, Figure 2",
        "On LightGBM, “while MAPOCAM uses the tree structure …, the cost of this procedure is higher than "
        "the approach used by P²CE, as the average computing time shows.”",
    )


def faster_than_mapocam(results: Results, summary: pd.DataFrame) -> Verdict:
    """In the paper's Table 2 P²CE is faster in all cells but Adult with LightGBM."""
    return _faster(
        list(cells(results, summary, "three")),
        "P²CE is faster than MAPOCAM",
        "Section 5.3, Table 2",
        "In five of the six cells of Table 2 (all but Adult with LightGBM).",
        needed=5,
    )


def _faster(chosen: list[CellOf], name: str, where: str, claim: str, *, needed: int | None = None) -> Verdict:
    cases, explanations, ours_of_all = [], 0.0, 0.0
    for cell in chosen:
        if not cell.has("p2ce", "mapocam"):
            continue
        ours, theirs, people = cell.same_people("p2ce", "mapocam", "call")
        row = cell.row("mapocam")
        assert row is not None
        explained = cell.people("p2ce")["explanations"].mean()
        explanations, ours_of_all = explanations + explained, ours_of_all + ours
        figures = (
            f"{words.seconds(ours)} / {words.seconds(theirs)}",
            f"{people}, {row['people'] - row['finished']:.0f} not finished",
            _pair(cell, "p2ce", "mapocam", "cells"),
            words.number(explained, digits=0),
            _pair(cell, "authors-p2ce", "authors-mapocam", "call"),
        )
        cases.append(Case(name=cell.name, figures=figures, holds=bool(ours < theirs)))
    return judge(
        name,
        where,
        claim,
        columns=("Time, P²CE / MAPOCAM", "People", "Cells evaluated", "SHAP explanations", "Authors' code"),
        cases=cases,
        needed=needed,
        says=f"Faster in {sum(bool(case.holds) for case in cases)} of {len(cases)} cells, on the same "
        "people.",
        cause=f"P²CE's time is {_per(ours_of_all, explanations)} for each SHAP explanation; MAPOCAM has a "
        "bound of compiled trees for LightGBM and none for the MLP, where it evaluates every cell that "
        "costs and the number of changes leave.",
    )


def seconds_against_minutes(results: Results, summary: pd.DataFrame) -> Verdict:
    """Taiwan with the MLP: 100 s against less than one."""
    cases, ratios, paper = [], [], ""
    for experiment in ("one", "three"):
        for cell in cells(results, summary, experiment):
            if (cell.data, cell.model) != ("taiwan", "mlp") or not cell.has("p2ce", "mapocam"):
                continue
            ours, theirs, people = cell.same_people("p2ce", "mapocam", "call")
            figures = (
                f"{words.seconds(ours)} / {words.seconds(theirs)}",
                str(people),
                _pair(cell, "p2ce", "mapocam", "cells"),
                _pair(cell, "authors-p2ce", "authors-mapocam", "call"),
            )
            name = words.name_of(experiment).partition(":")[0]
            few, many, _ = cell.same_people("p2ce", "mapocam", "cells")
            ratios.append(words.count(many / few))
            calls = cell.people("authors-mapocam")["calls"].mean()
            in_paper = published(experiment, "taiwan", "mlp", "mapocam")
            if in_paper is not None and calls > 0:
                paper = (
                    f" The authors' MAPOCAM calls the model {calls:,.0f} times a person: the paper's "
                    f"{in_paper.seconds.mean:.0f} s are {words.seconds(in_paper.seconds.mean / calls)} for "
                    "each call."
                )
            slower = theirs >= MUCH_SLOWER * ours
            cases.append(Case(name=name, figures=figures, holds=bool(slower)))
    return judge(
        "On Taiwan with the MLP: 100 seconds against one",
        "Sections 5.2 and 5.3",
        "“MAPOCAM required 100 seconds to generate counterfactual explanations with the Taiwan dataset and "
        "MLP, while P²CE took less than one second.”",
        columns=("Time, P²CE / MAPOCAM", "People", "Cells evaluated", "Authors' code"),
        cases=cases,
        says=f"Taken as: MAPOCAM takes at least {MUCH_SLOWER:.0f} times as long.",
        cause="Seconds are those of a call of the model, the cells evaluated are not: MAPOCAM evaluates "
        f"{' and '.join(ratios)} times as many as P²CE.{paper}",
    )


def peers_are_faster(results: Results, summary: pd.DataFrame) -> Verdict:
    """DiCE and NICE against P²CE, in Figure 2."""
    cases, engine, time, explained, their_time, rows = [], [], 0.0, 0.0, 0.0, 0.0
    for cell in cells(results, summary, "one"):
        for peer in ("dice-genetic", "dice-code", "nice"):
            if not cell.has("p2ce", peer):
                continue
            ours, theirs, _ = cell.same_people("p2ce", peer, "call")
            proven, _, both = cell.same_people("proven", peer, "call")
            engine += [proven < theirs] if both else []
            time, explained = time + ours, explained + cell.people("p2ce")["explanations"].mean()
            their_time, rows = their_time + theirs, rows + cell.people(peer)["cells"].mean()
            figures = (
                f"{words.seconds(theirs)} / {words.seconds(ours)}",
                words.seconds(proven),
                _pair(cell, peer, "p2ce", "cells"),
                words.number(cell.people("p2ce")["explanations"].mean(), digits=0),
            )
            name = f"{cell.name}, {words.name_of(peer)}"
            cases.append(Case(name=name, figures=figures, holds=bool(theirs < ours)))
    return judge(
        "DiCE and NICE are faster than P²CE",
        "Section 5.2, Figure 2",
        "“DICE and NICE algorithms are faster than P²CE, yet they do not have the guarantees.”",
        columns=(
            "Time, peer / P²CE",
            "P²CE, proven",
            "Rows evaluated, peer / P²CE",
            "SHAP explanations of P²CE",
        ),
        cases=cases,
        says=f"Faster in {sum(bool(case.holds) for case in cases)} of {len(cases)} comparisons. One call "
        f"of the default engine, which proves its answers, is faster than the peer in {sum(engine)} of "
        f"{len(engine)}.",
        cause=f"P²CE takes {_per(time, explained)} for each SHAP explanation, the peers "
        f"{_per(their_time, rows)} for each row that they evaluate.",
    )


def _per(time: float, count: float) -> str:
    return words.seconds(time / count if count else float("nan"))


def _pair(cell: CellOf, first: str, second: str, column: str) -> str:
    one, two, people = cell.same_people(first, second, column)
    if not people:
        return words.NOTHING
    if column == "call":
        return f"{words.seconds(one)} / {words.seconds(two)}"
    return f"{one:,.0f} / {two:,.0f}"
