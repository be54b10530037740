"""Say in one plain sentence what was proven."""

import math

from p2ce.present.words import counted, joined
from p2ce.result import Certificate, Explanation, Status
from p2ce.result.numbers import readable_cost, readable_count

# Bounds of models that can only be asked: what counts there is how often.
ASKED = ("complete", "shap", "shap-plain", "shap-paper")


def proof_sentence(explanation: Explanation) -> str:
    """Give one sentence on what this answer rests on, honest for every status, and one on its rules."""
    certificate = explanation.certificate
    told = _proof(explanation)
    if certificate is None or explanation.status in (Status.ERROR, Status.ALREADY_FAVOURABLE):
        return told
    return " ".join([told, *_rules(certificate)])


def _rules(certificate: Certificate) -> list[str]:
    """Say which rules between features the answer keeps to, and which of them did not shorten the search."""
    told = []
    if certificate.rules:
        told.append(f"Combinations that break a rule were left out: {'; '.join(certificate.rules)}.")
    if certificate.checked_rules:
        checked = "; ".join(certificate.checked_rules)
        told.append(f"Checked on each candidate, without shortening the search: {checked}.")
    return told


def _proof(explanation: Explanation) -> str:
    certificate, status = explanation.certificate, explanation.status
    if status is Status.ERROR:
        return f"No answer: {explanation.message or 'this row could not be explained.'}"
    if status is Status.ALREADY_FAVOURABLE:
        return "Nothing has to change: the model already decides in this person's favour."
    if certificate is None:
        return "No certificate was kept, so nothing is claimed beyond the options themselves."
    if status is Status.TIME_LIMIT:
        return _stopped(certificate, found=len(explanation))
    if status is Status.HEURISTIC or not certificate.proven:
        return _unproven(certificate, found=len(explanation))
    kind = "plausible options" if certificate.detector_family else "options"
    if status is Status.NO_RECOURSE:
        claim = f"none of {_space(certificate)} leads to the wanted decision"
        if certificate.detector_family:
            claim += " and stays plausible"
    elif len(explanation) == 1:
        claim = f"this is the only Pareto-optimal {kind[:-1]} among {_space(certificate)}"
    else:
        claim = f"these are all the Pareto-optimal {kind} among {_space(certificate)}"
    if not certificate.cells:
        return "Proven: nothing may change, so that nothing can help."
    verified = "" if not certificate.verified else f", {_verified(certificate, explanation.models)}"
    return f"Proven: {claim}; {_work(certificate)}{verified}."


def _stopped(certificate: Certificate, *, found: int) -> str:
    held = "the options are the best found so far" if found else "no option was found so far"
    are = "is" if certificate.open_boxes == 1 else "are"
    left = f"{counted(certificate.open_boxes, 'box', 'boxes')} among {_space(certificate)} {are} still open"
    costs = certificate.open_costs
    better = (
        ""
        if not costs
        else " and could reach "
        + joined([f"{name} {readable_cost(cost)}" for name, cost in costs.items()])
        + " at best"
    )
    unsure = "" if certificate.explainer is None else ", and an estimate ruled others out without proof"
    return f"Not proven: the search was stopped early, {held}; {left}{better}{unsure}."


def _unproven(certificate: Certificate, *, found: int) -> str:
    held = "better ones may exist" if found else "options may still exist"
    searched = f"{_space(certificate)}, {_work(certificate)}"
    if certificate.unproven_because == "contradiction":
        return f"Not proven: the model or detector contradicts what was read from it, so {held}; {searched}."
    if certificate.unproven_because == "doubt":
        return f"Not proven: rounding left too many points in doubt, so {held}; {searched}."
    if certificate.explainer is None:
        return f"Not proven: {held}; {searched}."
    return f"Not proven: an estimate cut the search short, so {held}; {_misses(certificate)}; {searched}."


def _misses(certificate: Certificate) -> str:
    """Say how often an estimate misses, as far as that is known."""
    if certificate.miss_rate is None:
        return "how often it misses some is not known"
    share = f"{_rounded_up(100 * certificate.miss_rate):g} %"
    people = counted(certificate.sample_size or 0, "person", "people")
    return (
        f"calibrated on {people}, it is expected to miss some for no more than {share} of people like them, "
        "proven answers included"
    )


def _rounded_up(percentage: float) -> float:
    """Round to two digits, never down: what is stated is an upper bound."""
    digits = 1 - math.floor(math.log10(percentage)) if percentage > 0 else 0
    return math.ceil(percentage * 10.0**digits * (1 - 1e-12)) / 10.0**digits


def _space(certificate: Certificate) -> str:
    most = certificate.max_changes
    limit = "" if most is None or certificate.axes <= most else f" of at most {counted(most, 'change')}"
    return f"{readable_count(certificate.cells)} possible combination{'s' * (certificate.cells != 1)}{limit}"


def _work(certificate: Certificate) -> str:
    if certificate.bound in ASKED:
        return f"{certificate.scored:,} of them asked about"
    return f"{counted(certificate.boxes, 'box', 'boxes')} examined"


def _verified(certificate: Certificate, models: int) -> str:
    # Only the model is named: the library's own detector is its compiled score, and is not asked again.
    by = "the model itself" if models == 1 else f"all {models} models themselves"
    return f"{counted(certificate.verified, 'point')} confirmed by {by}"
