"""Compile the user's arguments into one problem, and place and price batches of instances on its grid.

Rules become scores. Every rule that prunes is one or more *budgets*: a sum over columns of what each value
adds for an instance, which must not exceed a limit. If-then: one for every condition that holds and one if
the consequence does not. A budget is minus an additive score, so the solver bounds and prunes by it as by any
other. Amounts are whole and limits lie halfway between, so there is no rounding question; an inequality of
floats leaves what is close to the rule itself, which computes in fractions. A Python predicate is a score
that is evaluated outside the kernel.

Grouped features. A one-hot group is an axis whose candidates are levels: tuples of the members' values. So
are features that are linked to each other, directly or not, but their levels depend on the instance. They are
found for a batch at once: all combinations of the drivers' candidates, without those that lead a member out
of its range, kind, `candidates()` or given `step()`. Scores of a one-hot group's members are rewritten as
scores of the level. A chain of links keeps its members' columns: the kernel looks up their values at every
level, and a split by one of them may divide the axis into several stretches. So one compiled problem serves
all instances. An instance at a level of a one-hot group that no other has gets a problem for itself.

The favourable class. Without `target=`, models are parsed for None, which stops where a classifier's classes
meet the target. Only names settle it then: those of the classes, or that of the label (`y=`), if the model
agrees with the labels. How common a class is says nothing. Otherwise the error shows the calls to choose
from. A function scores what its author wants.

Directions. An association says which way a feature favours the target: by the model's monotone constraints,
else by the labels. Constraints restrict a policy that nobody stated. Otherwise options that move against an
association are flagged, for officers and auditors.

Overrides. A call may override policy, objectives and the limit of changes, and gives what an explainer made
with them gives: what is learnt from the reference is learnt again where it depends on them. An explanation
states them in its record: the policy as YAML, the objectives of a call as JSON, the limit in its certificate.
An explanation's problem is found by its very record, or by what the record states; what is forgotten is read
from the record. Python functions never are: the same words may stand for two functions, and a record must not
run code. Then the error says to explain again.
"""
