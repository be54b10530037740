"""Explain a loan that a LightGBM model rejects: write all options as text, with the proof."""

import lightgbm

import p2ce
from p2ce.datasets import make_applicants

# 1. People and a model. Use your own table and fitted model here.
applicants = make_applicants(random_state=1)
people, repaid = applicants.data, applicants.target
model = lightgbm.LGBMClassifier(n_estimators=60, num_leaves=15, random_state=0, verbose=-1)
model.fit(people, repaid)

# 2. What people may change, and the displayed name of each feature.
policy = (
    p2ce.Policy.infer(people)
    .fix("LatePayments", "OwnsHome")
    .protect("Age")
    .decrease_only("LoanAmount")
    .increase_only("Income", "SavingsBalance", "YearsAtCurrentJob", "HasGuarantor")
    .step(LoanAmount=100, LoanMonths=6)
    .display(
        LoanAmount={"name": "loan amount", "unit": "EUR"},
        LoanMonths={"name": "term", "unit": "months"},
        Income={"name": "yearly income", "unit": "EUR"},
        SavingsBalance={"name": "savings", "unit": "EUR"},
        YearsAtCurrentJob={"name": "time in the current job", "unit": "years"},
        HasGuarantor={"name": "guarantor", "phrases": {True: "have a guarantor"}},
    )
)

# 3. Explain.
explainer = p2ce.Explainer(model, people, target=1, policy=policy)
rejected = people[model.predict(people) == 0]
explanation = max((explainer.explain(person) for _, person in rejected.head(20).iterrows()), key=len)

print("The applicant:", ", ".join(f"{name} {value}" for name, value in explanation.person.items()))
print()
print(p2ce.to_text(explanation))
print("\nThe same explanation for the officer:")
print(p2ce.to_text(explanation, audience="officer"))
p2ce.to_html(explanation, "report.html")
print("\nThe page for the applicant is report.html.")
