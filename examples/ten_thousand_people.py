"""Explain 10,000 people to Parquet files. You can interrupt it at any time, and run it again to resume."""

import argparse
from pathlib import Path

from sklearn.ensemble import HistGradientBoostingClassifier

import p2ce
from p2ce.datasets import make_applicants


def main() -> None:
    """Explain the people who are not explained yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("recourse"))
    parser.add_argument("--people", type=int, default=10_000)
    parser.add_argument("--jobs", type=int, default=2, help="number of processes")
    given = parser.parse_args()

    applicants = make_applicants(random_state=5)
    model = HistGradientBoostingClassifier(max_iter=60, random_state=0)
    model.fit(applicants.data, applicants.target)
    policy = p2ce.Policy.infer(applicants.data).fix("Age", "LatePayments", "OwnsHome")
    policy = policy.decrease_only("LoanAmount").increase_only("Income", "SavingsBalance")
    explainer = p2ce.Explainer(model, applicants.data, target=1, policy=policy)

    people = make_applicants(given.people, random_state=6).data
    results = p2ce.portfolio.run(explainer, people, given.out, n_jobs=given.jobs, progress=True)
    print(f"{given.out}: {len(results.options())} options for {len(results)} people")
    print(results.people()["status"].value_counts().to_string())


if __name__ == "__main__":  # processes import this file again
    main()
