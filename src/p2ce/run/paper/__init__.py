"""The paper's algorithms, literal: Alg. 1 and Alg. 2, a file each, in the paper's words and line numbers.

A stack of nodes (a, i), the tests in the printed order, PRUNE. `paper_problem` gives them Ā, c, f and u of
one instance, and evaluates all children of a node in one batch; `maximum` has the SHAP bound in its four
forms. They share grid, costs, scores and verification with the exact solver and nothing of its pruning. The
tests hold a second transcription of both listings to compare with, cell by cell.
"""
