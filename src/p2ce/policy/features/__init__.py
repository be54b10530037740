"""What a feature is: its kind, how it may change, its candidate values and its display.

Candidate values. `infer` cuts round steps in the bulk of a column until none holds more than 1 % of the
population, and doubles them from there to the ends of the data. An explainer adds the values on either side
of all tree thresholds, thins the others to twenty there and where a model is evaluated cell by cell
(`candidate_values.thinned`), and has a finest grid in reserve: it is solved, with bounded work, before the
status NO_RECOURSE is given. Rules and detectors change no candidates; on the finest grid, columns that a rule
looks at keep all values. Only inferred candidates are touched; `FeaturePolicy.inferred` is None where the
user named a step.

Special values. A code such as -9 is not a candidate and no part of ranges and units; in costs it counts as a
missing value does.
"""
