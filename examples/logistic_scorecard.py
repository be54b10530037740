"""Explain a bank's scorecard: binned features, logistic regression, and points."""

from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer

import p2ce
from p2ce.datasets import make_applicants

applicants = make_applicants(random_state=2)
people, defaulted = applicants.data.astype(float), 1 - applicants.target
numbers = ["Age", "Income", "LoanAmount", "LoanMonths", "YearsAtCurrentJob", "SavingsBalance"]
bins = KBinsDiscretizer(n_bins=6, encode="onehot", quantile_method="averaged_inverted_cdf")
prepare = make_column_transformer((bins, numbers), remainder="passthrough")
scorecard = make_pipeline(prepare, LogisticRegression(C=0.5, max_iter=1_000)).fit(people, defaulted)

# Odds of 30 to 1 are 600 points, and 20 more points double the odds. The bank accepts from 520 points.
card = p2ce.Points(base=600, odds=30, pdo=20)
limit = 1 / (1 + 30 * 2 ** ((520 - 600) / 20))
policy = (
    p2ce.Policy.infer(people)
    .fix("Age", "LatePayments", "OwnsHome")
    .decrease_only("LoanAmount")
    .increase_only("Income", "SavingsBalance", "YearsAtCurrentJob", "HasGuarantor")
)
explainer = p2ce.Explainer(
    scorecard, people, target=1, at_most=limit, policy=policy, report=card, outcome="default"
)

rejected = people[explainer.scores(people) > limit]
many = explainer.explain_many(rejected)
print(f"{len(rejected)} of {len(people)} are rejected: {many}")

options = many.to_frame()
print(f"Points after the smallest change: {options.groupby('id')['points'].first().min():.0f} or more")
print("Number of people by the fewest changes they need:")
for changes, count in options.groupby("id")["changes"].min().value_counts().sort_index().items():
    print(f"  {changes:.0f}: {count} people")

one = many[0]
print(f"\nThe first of them has {one.points.person:.0f} points:")
print(one)
print(f"Proven for the model family {one.certificate.model_family}, by {one.certificate.bound}.")
