"""Parse preprocessing that works column by column: on which column each model input depends, and how.

Every input of the inner model is a function of one column: a table over the codes of a category, or a chain
of operations on a number that repeats the library's arithmetic bit by bit, in known monotone pieces. A forest
is rewritten over the columns themselves (thresholds are found by bisection over the floats, exact because
each piece is monotone in floating point), an additive model becomes a table of contributions per column, a
network has the inputs of an axis as sub-axes. The proof of separability is the list of transformers, their
authors' declaration, or that a transformer sees a single column; nothing is guessed from samples.

Of `log` and `exp`, splines, quantiles and declared transformers, nothing is known between two values. Their
outputs are *tabulated*: the transformer itself is evaluated once for each value that is needed. Models behind
them are proven on the values that were evaluated, which covers the grid and the instances; a forest keeps its
inputs, and is scored outside the kernel (`engine/scores/input_forest.py`). A value off the grid is evaluated
when it comes up. What another batch might round to the other side of a threshold is left to the model.
"""
