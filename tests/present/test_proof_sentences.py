"""What is said to be proven is proven, in every language and for every reader."""

import re
from dataclasses import replace

import pytest

from p2ce.present.languages import LANGUAGES
from p2ce.present.plain_proof_sentences import plain_proof
from p2ce.present.proof_sentences import REASONS, proof_sentence
from p2ce.result import Status
from tests.result.examples import CERTIFICATE, explanation, option

UNPROVEN = replace(CERTIFICATE, proven=False, unproven_because="contradiction")
PAPER = replace(UNPROVEN, unproven_because="estimate", bound="shap-paper", explainer="sampling", residual=0.0)
CALIBRATED = replace(PAPER, bound="shap", miss_rate=0.01, sample_size=199)
DOUBTED = replace(UNPROVEN, unproven_because="doubt")
PRINTED = replace(UNPROVEN, unproven_because="misprint", method="p2ce", bound="tree leaves")


@pytest.mark.parametrize(
    ("fields", "officer", "person"),
    [
        (
            {"status": Status.ERROR, "message": "'Age' is missing. Add it."},
            "No explanation: 'Age' is missing. Add it.",
            "The reason is: 'Age' is missing. Add it.",
        ),
        ({"status": Status.ERROR, "message": None}, "could not be explained", "We could not compute"),
        (
            {"status": Status.ALREADY_FAVOURABLE, "counterfactuals": ()},
            "No change is needed",
            "You do not have to change anything.",
        ),
        (
            {"status": Status.NO_RECOURSE, "counterfactuals": ()},
            "Proven: on this grid, none of 1,234,567 possible combinations leads",
            "It is proven that none of the 1,234,567 possible combinations leads to the wanted",
        ),
        (
            {"certificate": replace(CERTIFICATE, cells=0), "counterfactuals": ()},
            "Proven: on this grid no feature may change",
            "It is proven that there is no option",
        ),
        (
            {
                "certificate": replace(CERTIFICATE, cells=1),
                "counterfactuals": (option(mean_distance=1, Age=4),),
            },
            "Proven: this is the only possible combination; 431 boxes examined",
            "this is the only possible change.",
        ),
        (
            {
                "certificate": replace(CERTIFICATE, cells=1, detector_family=None),
                "counterfactuals": (),
                "status": Status.NO_RECOURSE,
            },
            "the only possible combination does not do what it would have to, which is to lead to the wanted "
            "decision;",
            "the only possible change is not enough.",
        ),
        (
            {
                "certificate": replace(CERTIFICATE, cells=1, rules=("a <= b",)),
                "counterfactuals": (),
                "status": Status.NO_RECOURSE,
            },
            "which is to lead to the wanted decision, be realistic and keep to the rules;",
            "the only possible change does not do what it would have to: lead to the wanted decision, be "
            "realistic and keep to the rules.",
        ),
        (
            {
                "certificate": replace(CERTIFICATE, detector_family=None, checked_rules=("own",)),
                "counterfactuals": (),
                "status": Status.NO_RECOURSE,
            },
            "none of 1,234,567 possible combinations leads to the wanted decision and keeps to the rules;",
            "of the 1,234,567 possible combinations leads to the wanted decision and keeps to the rules.",
        ),
        (
            {"status": Status.NO_RECOURSE, "counterfactuals": (), "margin": 0.05},
            "leads clearly enough to the wanted decision and stays plausible;",
            "leads clearly enough to the wanted decision and is realistic.",
        ),
        (
            {"certificate": replace(CERTIFICATE, bound="complete", scored=0)},
            "equal cost; none had to be evaluated, 2 points",
            "one of the 2 options",
        ),
        (
            {"certificate": replace(CERTIFICATE, ties=True)},
            "these are all the Pareto-optimal plausible options among 1,234,567 possible combinations; 431",
            "one of the 2 options",
        ),
        (
            {"status": Status.HEURISTIC, "certificate": UNPROVEN},
            "better ones may exist",
            "easier options may",
        ),
        (
            {"status": Status.HEURISTIC, "counterfactuals": (), "certificate": UNPROVEN},
            "options may still exist",
            "not proven that there is no option; some may still exist",
        ),
        (
            {"status": Status.HEURISTIC, "certificate": UNPROVEN},
            "contradicts its parsed form",
            "contradicted what we had computed from it. Each option was checked with the model itself.",
        ),
        (
            {"status": Status.HEURISTIC, "certificate": DOUBTED},
            "rounding left too many points in doubt",
            "some close calls could not be settled",
        ),
        (
            {"status": Status.HEURISTIC, "certificate": PRINTED},
            "Not proven: the algorithm ran as the paper prints it, misprints included, so better ones may",
            "easier options may exist: the search followed a printed method, with its misprints.",
        ),
        (
            {"status": Status.HEURISTIC, "certificate": PAPER},
            "its miss rate is not known; 1,234,567 possible combinations, 2,000 evaluated.",
            "miss rate is not known",
        ),
        (
            {"status": Status.HEURISTIC, "certificate": CALIBRATED},
            "calibrated on 199 people, it is expected to miss options for at most 1 % of rejected applicants",
            "expected to miss options for at most 1 % of rejected applicants",
        ),
        (
            {"certificate": replace(UNPROVEN, unproven_because=None)},
            "Not proven: better ones may exist; ",
            "the search has no proof",
        ),
        ({"certificate": None}, "There is no certificate", "Nothing is claimed about other options."),
        (
            {"certificate": replace(CERTIFICATE, detector_family=None)},
            "all the Pareto-optimal options among",
            "every one that leads to the wanted decision takes at least as much effort as one of the 2",
        ),
        (
            {"counterfactuals": (option(mean_distance=1.0, Age=42),)},
            "the only Pareto-optimal plausible option",
            "every realistic one that leads to the wanted decision takes at least as much effort as this one",
        ),
        (
            {"certificate": replace(CERTIFICATE, max_changes=1, checked_rules=("own",), cells=20**5000)},
            "possible combinations of at most 1 change, up to options of equal cost;",
            "of at most 1 change (a number with 6,506 digits), every realistic and permitted one that",
        ),
        (
            {"models": 3},
            "2 points confirmed by all 3 models themselves.",
            "(measured by overall change and number of changes).",
        ),
    ],
)
def test_the_proof_is_honest_for_every_status(fields: dict[str, object], officer: str, person: str) -> None:
    assert officer in proof_sentence(explanation(**fields))
    assert person in plain_proof(explanation(**fields))


def test_time_limit_says_what_is_open() -> None:
    stopped = replace(
        CERTIFICATE, proven=False, open_boxes=1_200, open_costs={"mean_distance": 0.25, "changes": 1.0}
    )
    written = proof_sentence(explanation(status=Status.TIME_LIMIT, certificate=stopped))
    assert written == (
        "Not proven: the search was stopped early, the options are the best found so far; 1,200 boxes among "
        "1,234,567 possible combinations are still open (at best: overall change 0.25 and number of "
        "changes 1)."
    )
    estimated = replace(stopped, explainer="sampling", open_boxes=1, open_costs=None)
    written = proof_sentence(
        explanation(status=Status.TIME_LIMIT, certificate=estimated, counterfactuals=()), "es"
    )
    assert written == (
        "No demostrado: la búsqueda se detuvo antes de terminar, no se encontró ninguna opción hasta ahora; "
        "1 región entre 1.234.567 combinaciones posibles sigue abierta, y una estimación podó otras sin "
        "prueba."
    )
    unused = replace(estimated, pruned={"estimate": 0})
    written = proof_sentence(explanation(status=Status.TIME_LIMIT, certificate=unused))
    assert "estimate" not in written


def test_what_was_not_verified_is_not_called_checked() -> None:
    unchecked = explanation(status=Status.TIME_LIMIT, certificate=replace(UNPROVEN, verified=1))
    assert "checked with the model" not in plain_proof(unchecked)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("reason", REASONS)
def test_an_unproven_certificate_is_never_written_as_proven(language: str, reason: str) -> None:
    unproven = explanation(certificate=replace(UNPROVEN, unproven_because=reason))
    assert proof_sentence(unproven, language).startswith(("Not proven", "Não comprovado", "No demostrado"))
    assert not plain_proof(unproven, language).startswith(("It is proven", "Está"))


def test_a_miss_rate_is_never_rounded_down() -> None:
    rare = replace(CALIBRATED, miss_rate=0.00123456)
    assert "no máximo 0,13% dos" in proof_sentence(
        explanation(status=Status.HEURISTIC, certificate=rare), "pt"
    )


def test_rules_are_written_with_the_proof() -> None:
    ruled = replace(CERTIFICATE, rules=("a <= b", "c moves with d"), checked_rules=("own check",))
    written = proof_sentence(explanation(certificate=ruled))
    assert written.startswith("Proven: ")
    assert written.endswith(
        "Rules that all options keep to: a <= b; c moves with d. "
        "Checked on each candidate, without shortening the search: own check."
    )
    accepted = explanation(status=Status.ALREADY_FAVOURABLE, certificate=ruled)
    assert "rule" not in proof_sentence(accepted)


def test_the_proof_is_about_exact_values_where_others_are_written() -> None:
    rounded = replace(option(mean_distance=0.1, LoanAmount=5999), rounded={"LoanAmount": 6000})
    written = explanation(counterfactuals=(rounded,))
    assert "Proof and costs are about the exact values" in proof_sentence(written)
    assert plain_proof(written).endswith("the rounded value was checked and is accepted as well.")
    assert "valores exatos" in plain_proof(written, "pt")
    assert "exact" not in plain_proof(explanation())
    assert "exact" not in proof_sentence(explanation(status=Status.HEURISTIC, certificate=UNPROVEN))


def test_two_models_are_both() -> None:
    assert "confirmed by both models themselves." in proof_sentence(explanation(models=2))
    assert "por ambos os modelos." in proof_sentence(explanation(models=2), "pt")


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_of_one_combination_is_no_plural(language: str) -> None:
    for found in ((), (option(mean_distance=1, Age=4),)):
        sole = explanation(
            certificate=replace(CERTIFICATE, cells=1),
            counterfactuals=found,
            status=Status.OPTIMAL if found else Status.NO_RECOURSE,
        )
        for written in (proof_sentence(sole, language), plain_proof(sole, language)):
            assert not re.search(r"\b1 (possible|combina)", written)
