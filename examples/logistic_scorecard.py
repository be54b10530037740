"""Explain a bank's scorecard: binned features, logistic regression, and points."""

import numpy as np
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer

import p2ce
from p2ce.datasets import make_applicants

applicants = make_applicants(random_state=2)
people, repaid = applicants.data.astype(float), applicants.target
numbers = ["Age", "Income", "LoanAmount", "LoanMonths", "YearsAtCurrentJob", "SavingsBalance"]
bins = KBinsDiscretizer(n_bins=6, encode="onehot", quantile_method="averaged_inverted_cdf")
prepare = make_column_transformer((bins, numbers), remainder="passthrough")
scorecard = make_pipeline(prepare, LogisticRegression(C=0.5, max_iter=1_000)).fit(people, repaid)


def points(frame):
    """Convert odds to points: odds of 30 to 1 are 600 points, and 20 more points double the odds."""
    odds = scorecard.decision_function(frame)
    return 600 + 20 / np.log(2) * (odds - np.log(30))


# The bank accepts from 520 points. The model's own scale is the log of the odds.
threshold = np.log(30) + (520 - 600) * np.log(2) / 20
policy = (
    p2ce.Policy.infer(people)
    .fix("Age", "LatePayments", "OwnsHome")
    .decrease_only("LoanAmount")
    .increase_only("Income", "SavingsBalance", "YearsAtCurrentJob", "HasGuarantor")
)
explainer = p2ce.Explainer(scorecard, people, target=1, policy=policy, scale="decision", at_least=threshold)

rejected = people[points(people) < 520]
many = explainer.explain_many(rejected)
print(f"{len(rejected)} of {len(people)} are rejected: {many}")

options = many.to_frame()
options["points"] = points(options[list(people.columns)])
print(f"Points after the smallest change: {options.groupby('id')['points'].first().min():.0f} or more")
print("Number of people by the fewest changes they need:")
for changes, count in options.groupby("id")["changes"].min().value_counts().sort_index().items():
    print(f"  {changes:.0f}: {count} people")

one = many[0]
print(f"\nThe first of them has {points(rejected.head(1))[0]:.0f} points:")
print(one)
print(f"Proven for the model family {one.certificate.model_family}, by {one.certificate.bound}.")
