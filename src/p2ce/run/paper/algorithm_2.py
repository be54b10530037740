"""Alg. 2 of the paper, P²CE, line by line.

Comments give the lines of the paper's listing. Line 5 prints f > τ, but the text says f ≥ τ. The setting
``errata`` selects which of the two `Node.reaches` is.
"""

from p2ce.compile.paper_settings import AS_PRINTED
from p2ce.run.paper import algorithm_1
from p2ce.run.paper.paper_problem import OUTLIER, Node, PaperProblem, PaperSearch


def p2ce(problem: PaperProblem, record: PaperSearch) -> None:
    """Run the depth-first search, value by value, and collect S in the record."""
    Q = [problem.root()]  # line 2
    while Q:  # line 3
        node = Q.pop()  # line 4
        record.visit(node)
        if node.reaches and problem.keeps_rules(node.cell):  # line 5  # noqa: SIM102
            if not problem.is_outlier(node.cell):  # line 6
                record.add(node)  # line 7
                continue  # line 8
        if _prune(problem, record, node):  # line 9
            continue
        Q += reversed(problem.children(node, record))  # lines 10 to 12


def _prune(problem: PaperProblem, record: PaperSearch, node: Node) -> bool:
    """Return whether everything below a node can be skipped: PRUNE of Alg. 2."""
    if algorithm_1.prune(problem, record, node):  # lines 15 to 19
        return True
    if problem.is_partial_outlier is not None:
        # Line 20 keeps x(i) + a(i), although feature i is only decided below this node.
        first_open = node.i + (1 if problem.settings.errata == AS_PRINTED else 0)
        if problem.is_partial_outlier(node.cell, problem.features[first_open:]):  # line 21
            return record.prune(node, OUTLIER)
    return False  # line 22
