"""Texts for applicants from a policy that no one stated are drafts, and say so on every medium."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import p2ce
from p2ce.present.languages import load_words
from p2ce.result import Explanation, ProblemRecord

DRAFT = "Draft: no one has said yet what applicants can change. Do not send."
DRAW = np.random.default_rng(2)
PEOPLE = pd.DataFrame({"Income": DRAW.integers(10, 60, 200), "Debts": DRAW.integers(0, 6, 200)})
MODEL = DecisionTreeClassifier(max_depth=3, random_state=0).fit(
    PEOPLE, PEOPLE["Income"] > 30 + 4 * PEOPLE["Debts"]
)
ROW = PEOPLE[MODEL.predict(PEOPLE) == 0].iloc[0]
INFERRED = p2ce.Policy.infer(PEOPLE)
POLICIES = {
    None: "inferred",
    INFERRED.display(Debts={"name": "debts"}): "inferred",
    INFERRED.decrease_only("Debts"): "stated",
    INFERRED.reviewed(by="Ana <Souza>", on="2026-11-18"): "reviewed",
}
WRITERS = [p2ce.to_text, p2ce.to_html, p2ce.to_markdown]


def explained(policy: p2ce.Policy | None) -> Explanation:
    return p2ce.Explainer(MODEL, PEOPLE, target=True, policy=policy, plausibility=None).explain(ROW)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("language", ["en", "pt", "es"])
def test_only_texts_for_applicants_from_an_inferred_policy_are_drafts(
    policy: p2ce.Policy | None, write: object, language: str
) -> None:
    assert callable(write)
    found = explained(policy)
    notice = load_words(language).say("draft")
    is_draft = POLICIES[policy] == "inferred"
    assert found.problem is not None
    assert found.problem.basis == POLICIES[policy]
    assert found.problem.is_draft == is_draft
    for audience in ("applicant", "officer", "auditor"):
        many = p2ce.Explainer(MODEL, PEOPLE, target=True, policy=policy, plausibility=None).explain_many(
            PEOPLE[:2]
        )
        for one in (found, many):
            text = write(one, audience=audience, language=language)
            assert (notice in text) == (is_draft and audience == "applicant")
        basis = {"inferred": "policy_inferred", "reviewed": "policy_reviewed"}.get(POLICIES[policy])
        if basis and audience != "applicant" and write is p2ce.to_text:
            said = load_words(language).say(basis, by="Ana <Souza>", on="2026-11-18")
            assert said in write(found, audience=audience, language=language)


def test_a_draft_opens_with_its_notice_and_prints_it() -> None:
    found = explained(None)
    assert p2ce.to_text(found).startswith(f"{DRAFT}\n\n")
    page = p2ce.to_html(found)
    assert page.index("<main>") < page.index(f'<p class="draft">{DRAFT}</p>') < page.index('class="lead"')
    style = page[page.index("<style>") : page.index("</style>")]
    assert ".draft { display: none" not in style
    assert p2ce.to_markdown(found).splitlines()[4] == f"> {DRAFT}"


def test_the_basis_survives_json_and_an_archive(tmp_path: object) -> None:
    for policy, basis in POLICIES.items():
        found = explained(policy)
        back = Explanation.from_json(json.dumps(found.to_dict()))
        assert back.problem is not None
        assert (back.problem.basis, back.problem.reviewed_by) == (
            basis,
            "Ana <Souza>" if basis == "reviewed" else "",
        )
        assert p2ce.to_text(back) == p2ce.to_text(found)
        file = f"{tmp_path}/saved.p2ce"
        p2ce.Explainer(MODEL, PEOPLE, target=True, policy=policy, plausibility=None).save(file)
        assert p2ce.Explainer.load(file, MODEL).problem.basis == basis


def test_a_question_of_which_nothing_is_known_is_no_draft() -> None:
    assert not ProblemRecord().is_draft
