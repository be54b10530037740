"""Combined scores: a number that never falls in any of its parts, and the parts are scores with bounds.

Examples are the mean of probabilities of several models, a sum of trees and weights, or the best lead of
several classes. A `Combination` has the parts, and what the library reports for their values: the lowest and
the highest number that it may return. This interval covers all rounding, inside the parts and in what is
done with them.

Why a bound is a bound. A library that reports ``f(m_1, …, m_k)`` for its own margins ``m``, where f never
falls in any of them, reports at most ``reported(u)[1]`` if every ``m_j`` belongs to a value of at most
``u_j``. So the upper bounds of a box, part by part, are an upper bound of the number. What falls in a margin
rises in minus this margin: a negative weight is the negated part. `reported` need not rise in every last
bit, but it has to hold for smaller values too: ``reported(u)[1]`` for all values up to u, and
``reported(u)[0]`` for all values from u on.

A combination of one part needs no combined score. Its threshold becomes one on the part, by bisection over
floats, and the kernel searches a flat part at full speed (`score_of`).
"""
