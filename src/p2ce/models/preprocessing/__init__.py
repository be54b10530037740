"""Parse preprocessing that works column by column: on which column each model input depends, and how.

Every input of the inner model is a function of one column: a table over the codes of a category, or a chain
of operations on a number that repeats the library's arithmetic bit by bit, in known monotone pieces. A forest
is rewritten over the columns themselves (thresholds are found by bisection over the floats, exact because
each piece is monotone in floating point; `log` and `exp` are not proven to be, so forests behind them are
black boxes), an additive model becomes a table of contributions per column, a network has the inputs of an
axis as sub-axes. The list of transformers is the proof of separability; nothing is guessed from samples.
"""
