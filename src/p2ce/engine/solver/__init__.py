"""Branch and bound over boxes of the grid, and its brute-force twin.

The loop::

    while instances are open:
        expand        kernel: pop a box, price, prune, split, evaluate leaves or queue them
        prune         queued boxes, by the bounds of external scores (networks)
        evaluate      queued cells, by the external scores, over many instances at once
        offer         what every score accepts, to the incumbent fronts

Where all scores are forests and sums there is no queue: the kernel offers cells itself and goes from instance
to instance, tens of microseconds each, in slices of work between which the clock and the listener are looked
at. Which box comes next (listed supports first, or best first) and what evaluates a leaf are independent
settings. The path without a queue compiles nothing of it.

Before the search, a batch is *placed*: all instances share the base candidates of an axis; some serve one
direction only, so an instance's candidates are those below, the current value, and those above. A split then
has two cuts on an axis, both known before any instance is. Axes are in alphabetical order, so that the order
of columns cannot matter. And it is *priced*: a cell's total adds the costs of its candidates in the order of
the axes, wherever it is computed, so that it is the same to the last bit. Totals are compared after rounding
each to nine digits, or rounding noise would make false trade-offs; bounds whose terms come in another order
are lowered by a proven margin.

A box allows an interval of candidates on each axis. `expand_box` does the following, in this order:

1. *Too many changes.* More axes must change than may.
2. *Dominated.* The lower corner (cheapest change of every axis that must change) is dominated by the
   incumbent front, or ties with a point that comes first. Otherwise the box is trimmed: candidates whose own
   corner is dominated are cut off.
3. *Infeasible by bound.* Every tree gives at most its best reachable leaf; an additive score gives at most
   its best gains, as many as changes are left; if the sum misses a threshold, the box is empty. Model,
   detector and rule are the same function called for each score. This is f̄ₐ < τ and u(x̃) = 1 of the paper,
   as proven bounds. A large box first offers its cheapest point, which may dominate all of it.
4. *Small.* All cells are scored at once: a leaf is added to a difference tensor at the corners of its box,
   and running sums give every cell. Then, row by row, the nearest cell that may be accepted is offered; what
   lies farther out costs no less and is evaluated only if that cell fails.
5. *Split*, where the trees' best leaves disagree most.

Supports of up to three changes are listed one by one, smallest first, because their leaves can be sorted once
per instance by *disagreement set*: the features that must change to reach a leaf. A leaf matters to a support
only if its set lies inside. Larger supports are general boxes, best first.

External evaluation. Networks, black boxes and predicates are evaluated in batches over many instances:
networks first, then black-box models, last a detector, so it evaluates only what every model accepts.
Boxes are opened best first, so cells come in the order of cost, and little more is evaluated than the cells
that the final front does not dominate: on Taiwan some 3,000 of 164,000. An instance's batch grows with what
was evaluated before, so that there are few calls. A score that can bound boxes receives large ones first, for
instances that have proven hard.

Ties. Points of equal cost are ordered by grid steps moved (labels in the order of their codes), then by
values in alphabetical order of features: the front does not depend on the path of the solver. A property test
holds the search and `brute_force` equal to the index, ties included. Two more statements of the problem exist
for tests: `tests/oracle.py` in pandas, and the check of evidence, which may import nothing of the engine.
"""
