"""An auditor reads every fact of an answer, to the last digit and under the names of the data."""

from dataclasses import replace

import pytest

from p2ce.present import to_text
from p2ce.present.proof_sentences import REASONS
from p2ce.result import Certificate, Counterfactual, Status
from tests.present.cases import CERTIFICATE, ESTIMATED, OPTIONS, QUESTION, answer


def audit(**fields: object) -> list[str]:
    return to_text(answer(**fields), audience="auditor").splitlines()


def test_numbers_are_not_shortened() -> None:
    exact = replace(OPTIONS[0], score=0.5000000000000123, costs={"mean_distance": 0.1 + 0.2, "changes": 2.0})
    lines = audit(counterfactuals=(exact,), person_score=0.49999999999999)
    assert "   score: 0.5000000000000123" in lines
    assert "   costs: mean_distance 0.30000000000000004; changes 2" in lines
    assert "Score of the person: 0.49999999999999" in lines
    assert f"Grid cells in reach: {10**20:,}" in audit(certificate=replace(CERTIFICATE, cells=10**20))
    assert "Grid cells in reach: about 1.0e70" in audit(certificate=replace(CERTIFICATE, cells=10**70))


def test_values_are_those_of_the_data_and_their_rounding_is_named() -> None:
    lines = audit()
    assert "1. LoanAmount (loan amount): 7,512.4 → 6,199.9999; HasGuarantor (guarantor): 0 → 1" in lines
    assert "   displayed value: LoanAmount = 6,200" in lines
    assert "   score of the displayed values: 0.55" in audit(
        counterfactuals=(replace(OPTIONS[0], rounded_score=0.55),)
    )


@pytest.mark.parametrize(
    ("language", "reported", "none"),
    [
        (
            "en",
            "reported only: this method does not require plausible options",
            "Plausibility detector: none",
        ),
        (
            "pt",
            "apenas informativo: este método não exige opções plausíveis",
            "Detector de plausibilidade: nenhum",
        ),
        (
            "es",
            "solo informativo: este método no exige opciones plausibles",
            "Detector de plausibilidad: ninguno",
        ),
    ],
)
def test_a_detector_that_is_only_reported_is_not_called_none(language: str, reported: str, none: str) -> None:
    """Issue 13: with method="mapocam" the text said that no detector was used, beside its value."""
    mapocam = replace(CERTIFICATE, method="mapocam", detector_family=None)
    beside = tuple(replace(option, plausibility=-0.125) for option in OPTIONS)

    def text(options: tuple[Counterfactual, ...]) -> str:
        explanation = answer(certificate=mapocam, counterfactuals=options)
        return to_text(explanation, audience="auditor", language=language)

    assert reported in text(beside)
    assert none not in text(beside)
    without = text(tuple(replace(option, plausibility=None) for option in OPTIONS))
    assert reported not in without
    assert none in without


def test_a_margin_and_ties_are_named() -> None:
    lines = audit(margin=0.05, certificate=replace(CERTIFICATE, ties=True))
    assert "Required margin, included in the target: 0.05" in lines
    assert "Options of equal cost are all listed: yes" in lines
    assert not any("Margin" in line for line in audit())


def test_every_field_of_the_certificate_is_written() -> None:
    # A field that is added later fails here until an auditor can read it.
    written = {
        "proven", "unproven_because", "method", "model_family", "detector_family", "bound", "grid",
        "finest_open", "cells", "axes", "max_changes", "ties", "boxes", "scored", "attributed", "pruned",
        "verified", "discrepancies", "miss_rate", "sample_size", "explainer", "residual", "open_boxes",
        "open_costs", "rules", "checked_rules",
    }  # fmt: skip
    assert set(Certificate.__dataclass_fields__) == written
    full = replace(
        ESTIMATED,
        attributed=31,
        discrepancies=7,
        max_changes=None,
        detector_family=None,
        checked_rules=("own check",),
        pruned={"estimate": 5, "a rule of tomorrow": 1},
        open_boxes=3,
        open_costs={"changes": 1.0},
    )
    text = "\n".join(audit(status=Status.HEURISTIC, certificate=full))
    for fact in (
        "Points at which SHAP values were computed: 31",
        "Discrepancies between the model and its parsed form: 7",
        "Most changes at once: no limit",
        "Plausibility detector: reported only: this method does not require plausible options",
        "Rules between features that candidates were checked against: own check",
        "Boxes pruned, by rule: estimate 5; a rule of tomorrow 1",
        "Boxes left open: 3",
        "Least cost that an open box could have: changes 1",
        "Estimate (no certainty), attributions by: tree paths",
        "Estimate (no certainty), widened by: 0.0125",
        "Estimate (no certainty), miss rate among rejected applicants, at most: 0.0101",
        "Estimate (no certainty), people it was calibrated on: 199",
        "Why it is not proven: an estimate, and no bound, cut the search",
    ):
        assert fact in text


@pytest.mark.parametrize("reason", REASONS)
def test_every_reason_is_written_in_words(reason: str) -> None:
    unproven = replace(CERTIFICATE, proven=False, unproven_because=reason)
    written = [line for line in audit(certificate=unproven) if line.startswith("Why it is not proven: ")]
    assert len(written) == 1
    assert written[0] != f"Why it is not proven: {reason}"


def test_what_is_never_advised_is_listed() -> None:
    lines = audit()
    assert "Protected features, never advised: Sex" in lines
    assert "Fixed features, never advised: Age" in lines
    assert "SHA-256: model ab12; reference cd34; policy ef56" in lines
    free = replace(QUESTION, features={}, rules=(), people=0, versions={}, hashes={}, settings={})
    assert "Protected features, never advised: none" in audit(question=free)
    assert "Versions: not recorded" in audit(question=free)
    assert audit(question=None)[-1] == "Policy, versions and hashes: not recorded"


def test_a_message_is_kept() -> None:
    assert "Message: stopped by hand" in audit(message="stopped by hand")
