"""Explain 10,000 people to Parquet, in parts: stop it at any time and start it again, and it goes on."""

import argparse
from pathlib import Path

import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier

import p2ce
from p2ce.datasets import make_applicants

PART = 1_000  # people per file: what is lost at most when the run is stopped


def main() -> None:
    """Explain the people who are in no part yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("recourse"))
    parser.add_argument("--people", type=int, default=10_000)
    parser.add_argument("--jobs", type=int, default=1, help="processes; -1 for one per core")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)

    applicants = make_applicants(random_state=5)
    model = HistGradientBoostingClassifier(max_iter=60, random_state=0)
    model.fit(applicants.features, applicants.outcome)
    saved = given.folder / "explainer.p2ce"
    if saved.exists():
        explainer = p2ce.Explainer.load(saved, model)  # rejects another model than the one of the parts
    else:
        policy = p2ce.Policy.infer(applicants.features).fix("Age", "LatePayments", "OwnsHome")
        policy = policy.decrease_only("LoanAmount").increase_only("Income", "SavingsBalance")
        explainer = p2ce.Explainer(model, applicants.features, target=1, policy=policy)
        explainer.save(saved)
    portfolio = make_applicants(given.people, random_state=6).features

    for start in range(0, len(portfolio), PART):
        part = given.folder / f"part-{start // PART:04}.parquet"
        if part.exists():
            print(f"{part.name} is there already")
            continue
        many = explainer.explain_many(portfolio[start : start + PART], n_jobs=given.jobs, progress=True)
        cut_short = many.statuses[p2ce.Status.TIME_LIMIT]  # by Ctrl-C, since no time was set
        if cut_short or any((one.message or "").startswith("Interrupted") for one in many):
            raise SystemExit("Start it again, and it goes on with this part.")
        unfinished = part.with_suffix(".unfinished")
        many.summary().to_parquet(given.folder / f"people-{start // PART:04}.parquet")
        many.to_frame().to_parquet(unfinished)
        unfinished.rename(part)  # last, and at once: a part that is there is whole
        print(f"{part.name}: {many}")

    options = pd.concat(pd.read_parquet(one) for one in sorted(given.folder.glob("part-*.parquet")))
    people = pd.concat(pd.read_parquet(one) for one in sorted(given.folder.glob("people-*.parquet")))
    print(f"{len(options)} options for {len(people)} people, in {given.folder}")
    print(people["status"].value_counts().to_string())


if __name__ == "__main__":
    main()
