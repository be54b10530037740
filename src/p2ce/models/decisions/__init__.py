"""Convert margins of any model family to scores: for the win of a class, a threshold, or a range.

A class that must win is a score per other class, the difference of margins; a range is a score for each end.
One of several classes wins if its worst difference to the classes that are not wanted is the best: a combined
score, whose ties the model decides. With `at_most`, the number is negated: `-p >= -0.08` is `p <= 0.08`, bit
by bit, so the search, its bounds and the verification only know "at least". `Problem.direction` turns it back
for people. A softmax of several classes from above is minus the probability itself, as a combined score.
A threshold from below is necessary in pairs and decided by the model. Where several scores decide, the
reported number is the least lead, and `prediction` says what the model predicts.

scikit-learn's threshold classifiers bring their thresholds, and are parsed: `predict` gives one class
where its score is `>=` the threshold, the other below it. For the other class the parsed score is negated and
its two thresholds change places, which is exact; 1 - t would not be. `predict` is compared with the default
decision on some rows, once.
"""
