"""Alg. 1 of the paper, MAPOCAM, line by line.

Comments give the lines of the paper's listing. The listing leaves the order open, but the text defines it:
"the action a′ will only be evaluated after a has been evaluated" if |a| ⪯ |a′|. So Q is a stack with the
nearest value on top.
"""

from p2ce.run.paper.paper_problem import BOUND, DOMINATED, TOO_MANY, Node, PaperProblem, PaperSearch


def mapocam(problem: PaperProblem, record: PaperSearch) -> None:
    """Run the depth-first search, value by value, and collect S in the record."""
    Q = [problem.root()]  # line 2
    while Q:  # line 3
        node = Q.pop()  # line 4
        record.visit(node)
        if node.reaches and problem.keeps_rules(node.cell):  # line 5
            record.add(node)  # line 6
            continue  # line 7
        if prune(problem, record, node):  # line 8
            continue
        Q += reversed(problem.children(node, record))  # lines 9 to 11


def prune(problem: PaperProblem, record: PaperSearch, node: Node) -> bool:
    """Return whether everything below a node can be skipped: PRUNE of Alg. 1."""
    if record.dominates(node):  # lines 14 and 15
        return record.prune(node, DOMINATED)
    if node.changes >= problem.full or node.i == len(problem.features):  # line 16
        return record.prune(node, TOO_MANY)
    if problem.falls_short(node):  # lines 17 and 18
        return record.prune(node, BOUND)
    return False  # line 19
