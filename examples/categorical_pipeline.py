"""Explain a pipeline with categories and missing values, under rules that keep the options sensible."""

import numpy as np
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import p2ce
from p2ce import rules
from p2ce.datasets import make_applicants

rng = np.random.default_rng(0)
applicants = make_applicants(random_state=4)
people = applicants.data.drop(columns=["OwnsHome", "HasGuarantor"])
people["Housing"] = np.where(applicants.data["OwnsHome"], "own", rng.choice(["rent", "family"], len(people)))
people["Security"] = np.where(applicants.data["HasGuarantor"], "guarantor", "none")
people["BureauScore"] = (720 - 55 * people.pop("LatePayments")).where(rng.random(len(people)) < 0.85)
outcome = applicants.target.map({1: "repaid", 0: "default"})

numbers = people.select_dtypes("number").columns
prepare = make_column_transformer(
    (make_pipeline(SimpleImputer(add_indicator=True), StandardScaler()), numbers),
    (OneHotEncoder(), ["Housing", "Security"]),
)
pipeline = make_pipeline(prepare, LogisticRegression(class_weight="balanced")).fit(people, outcome)

policy = (
    p2ce.Policy.infer(people)
    .protect("Age")
    .keep_missing("BureauScore")
    .increase_only("Income", "SavingsBalance", "YearsAtCurrentJob", "BureauScore")
    .decrease_only("LoanAmount")
    .with_rules(
        rules.forbid("Housing", {"own": ["rent", "family"]}),  # no option sells the house
        rules.change_at_most_one("Income", "YearsAtCurrentJob"),  # a new job, or more years in the old one
        rules.inequality("12 * LoanAmount <= 20 * Income"),  # at most twenty months' income
        rules.implies({"Security": "guarantor"}, {"LoanMonths": (6, 60)}),
    )
)
policy.save("policy.yaml")
print("The policy is saved in policy.yaml. Its rules:")
for rule in policy.rules:
    print(f"  {rule.text()}")

explainer = p2ce.Explainer(pipeline, people, policy=policy, target="repaid")
many = explainer.explain_many(people[pipeline.predict(people) == "default"])
print(f"\n{many}\n\n{max(many, key=len)}")
without = next((one for one in many if one.status is p2ce.Status.NO_RECOURSE), None)
if without is not None:
    print(f"\nOne person has no option. Relaxations that give one:\n{explainer.relaxations(without)}")
