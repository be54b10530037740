"""Write what is proven, and on which grid: in exact words, and in the words for applicants."""

import math

from p2ce.present.numbers import MOST_WRITTEN
from p2ce.present.price_sentences import price_sentences
from p2ce.present.rule_sentences import displayed_step, left_out_text, rules_text
from p2ce.present.standing import all_models
from p2ce.present.wording import Wording
from p2ce.result import Certificate, Explanation, Feature, RuleData, Status
from p2ce.result.certificate import FINEST
from p2ce.result.counterfactual import AdmittedBy
from p2ce.result.problem_record import ALONG

# Bounds of black-box models, for which the number of evaluations is stated.
EVALUATED = ("complete", "shap", "shap-paper")
LONGEST_WRITTEN = 10**4000  # Python writes no integers of more than 4,300 digits
MOST_NAMED = 6  # features whose steps are listed; the others are counted
LEAVE_OUT = "leave_out"
AS_TODAY: AdmittedBy = "as plausible as today"
ADVISED = ("up", "down", "either")  # linked features have no steps


def exact_proof(explanation: Explanation, wording: Wording) -> str:
    """Return one sentence on what is proven, for every status, and more on the grid and rules."""
    certificate = explanation.certificate
    sentence = _exact_claim(explanation, wording)
    if certificate is None or explanation.status in (Status.ERROR, Status.ACCEPTED):
        return sentence
    sentences = [sentence, *_unlisted(explanation, wording)]
    if certificate.stopped_by is not None:
        sentences.append(wording.say(f"stopped_by_{certificate.stopped_by}"))
    sentences += _exact_grid(explanation, certificate, wording)
    if left_out := left_out_rules(explanation):
        text = left_out_text(left_out, explanation, wording)
        sentences.insert(0, wording.say("next_best", left_out=text))
    sentences += _exact_reasons(explanation, certificate, wording)
    if certificate.score_tolerance > 0:
        tolerance = wording.full(certificate.score_tolerance)
        sentences.append(wording.say("scores_vary", tolerance=tolerance))
        if certificate.undecided and is_proven(explanation):
            sentences.append(wording.counted("undecided_cells", certificate.undecided, tolerance=tolerance))
    if is_proven(explanation) and shows_rounded(explanation):
        sentences.append(wording.say("proof_of_exact"))
    kept = [rule for rule in certificate.rules if rule not in left_out]
    for key, rules in (("rules_kept", kept), ("rules_checked", [*certificate.checked_rules])):
        if rules:
            sentences.append(wording.say(key, rules="; ".join(rules_text(rules, wording))))
    return " ".join(sentences)


def plain_proof(explanation: Explanation, wording: Wording) -> str:
    """State how far a list of options is complete, in plain sentences, or what holds if it is not.

    The sentences are about the combinations that the policy allows, of the values that were tried: every
    accepted one costs at least as much as some option, in every objective. Texts for applicants do not call
    anything proven, which sounds final, nor any option easy, which only applicants can judge.
    """
    certificate = explanation.certificate
    if explanation.status is Status.ERROR:
        return wording.say("your_failed")  # the message is for staff, who can solve the problem
    if explanation.status is Status.ACCEPTED:
        return wording.say("your_favourable")
    if certificate is None:
        return wording.say("your_no_certificate")
    sentences = _may_change(explanation, certificate, wording)
    if left_out_rules(explanation):
        sentences.append(wording.say("your_next_best"))
    sentences.append(_plain_claim(explanation, certificate, wording))
    sentences += _unlisted(explanation, wording)
    sentences += _plain_grid(explanation, certificate, wording)
    sentences += _plain_reasons(explanation, certificate, wording)
    if certificate.undecided and is_proven(explanation):
        sentences.append(wording.counted("your_undecided", certificate.undecided))
    if is_proven(explanation) and shows_rounded(explanation):
        sentences.append(wording.say("your_proof_of_exact"))
    if explanation.status is Status.NO_RECOURSE:
        sentences.append(wording.say("your_none_is_not_final"))
    return " ".join(sentences)


def _unlisted(explanation: Explanation, wording: Wording) -> list[str]:
    """State how many of the options found are not listed."""
    return [wording.counted("unlisted", explanation.unlisted)] if explanation.unlisted else []


def left_out_rules(explanation: Explanation) -> list[RuleData]:
    """Return what was left out of an explanation that `Explainer.more` returned."""
    certificate = explanation.certificate
    return [] if certificate is None else [one for one in certificate.rules if one["rule"] == LEAVE_OUT]


def _may_change(explanation: Explanation, certificate: Certificate, wording: Wording) -> list[str]:
    """Name what the policy lets change, to a person who has no option."""
    problem = explanation.problem
    if not claims_none(explanation) or problem is None or not certificate.cells:
        return []
    free = [one for one in problem.features.values() if one.may_change and one.moves != ALONG]
    names = list(dict.fromkeys(one.group or wording.name(one.name) for one in free))
    if not names:
        return []
    more = len(names) - MOST_NAMED
    listed = [*names[:MOST_NAMED], *([wording.counted("steps_more", more)] if more > 0 else [])]
    return [wording.say("your_may_change", names=wording.listed(listed))]


def _exact_reasons(explanation: Explanation, certificate: Certificate, wording: Wording) -> list[str]:
    """State which rule of plausibility holds, which options it admits, and why there is none."""
    sentences, today = [], certificate.plausibility_today
    if today is not None and today < 0:
        sentences.append(wording.say("today_counts", today=wording.numbers.score(today, 0.0)))
    numbers = [option.number for option in explanation if option.admitted_by == AS_TODAY]
    if numbers:
        listed = wording.listed([wording.numbers.count(number) for number in numbers])
        sentences.append(wording.counted("admitted_as_today", len(numbers), options=listed))
    if certificate.none_because is not None and certificate.cells:
        sentences.append(wording.say(f"none_because_{certificate.none_because}"))
    return [*sentences, *price_sentences(explanation, wording)]


def _plain_reasons(explanation: Explanation, certificate: Certificate, wording: Wording) -> list[str]:
    today = certificate.plausibility_today
    if len(explanation):
        return [wording.say("your_today_counts")] if today is not None and today < 0 else []
    if certificate.none_because is None or not certificate.cells:
        return []
    return [wording.say(f"your_none_because_{certificate.none_because}")]


def is_proven(explanation: Explanation) -> bool:
    """Return whether it is proven that the front is complete, or that there is no option."""
    finished = explanation.status in (Status.OPTIMAL, Status.NO_RECOURSE)
    return finished and explanation.certificate is not None and explanation.certificate.proven


def shows_rounded(explanation: Explanation) -> bool:
    """Return whether an option displays another value than the proven one."""
    return any(option.rounded for option in explanation)


def count_text(count: int, wording: Wording) -> str:
    """Write a count, or the order of magnitude of one that is too long to read."""
    text = wording.numbers.magnitude(count)
    return text if count < MOST_WRITTEN else wording.say("about", number=text)


def reason_unproven(explanation: Explanation) -> str:
    """Return why nothing is proven: "stopped", "unknown", or the reason in the certificate."""
    certificate = explanation.certificate
    if certificate is None:
        return "unknown"
    if explanation.status is Status.TIME_LIMIT:
        return "stopped"
    if certificate.unproven_because is not None:
        return certificate.unproven_because
    return "unknown" if certificate.estimate is None else "estimate"


def _exact_claim(explanation: Explanation, wording: Wording) -> str:
    certificate, status = explanation.certificate, explanation.status
    if status is Status.ERROR:
        message = explanation.message
        return wording.say("failed", message=message) if message else wording.say("failed_silently")
    if status is Status.ACCEPTED:
        return wording.say("favourable")
    if certificate is None:
        return wording.say("no_certificate")
    if status is Status.TIME_LIMIT and certificate.finest_open:
        leads = wording.say(f"leads{_conditions(certificate)}", clearly=_clearly(explanation, wording))
        work, space = _work(certificate, wording), _space(certificate, wording)
        return wording.say("stopped_finest", space=space, leads=leads, work=work)
    if status is Status.TIME_LIMIT:
        return _stopped(certificate, open_costs(explanation), wording, found=len(explanation))
    if status is Status.HEURISTIC or not certificate.proven:
        return _unproven(explanation, certificate, wording)
    if not certificate.cells:
        return wording.say("proven_nothing_moves")
    found = 0 if status is Status.NO_RECOURSE else len(explanation) + explanation.unlisted
    conditions, clear = _conditions(certificate), _clearly(explanation, wording)
    parts = {
        "work": _confirmed(certificate, explanation.models, wording),
        "limit": _limit(certificate, wording),
        "space": _space(certificate, wording),
    }
    if certificate.cells == 1:
        needed = wording.say(f"to_lead{conditions}", clearly=clear)
        return wording.say("proven_sole_some" if found else "proven_sole_none", to_lead=needed, **parts)
    if not found:
        leads = wording.say(f"leads{conditions}", clearly=clear)
        return wording.say("proven_none", leads=leads, **parts)
    # Without ties, one option represents all of its cost.
    equal = "" if certificate.ties else wording.say("up_to_equals")
    kind = wording.counted(f"optimal{conditions}", found)
    if certificate.refined:  # then options may lie between the values of the grid
        key = "proven_only_refined" if found == 1 else "proven_all_refined"
        if explanation.unlisted:
            count = wording.numbers.count(found)
            return wording.say("proven_found_refined", count=count, kind=kind, **parts)
        return wording.say(key, kind=kind, **parts)
    if explanation.unlisted:
        count = wording.numbers.count(found)
        return wording.say("proven_found", count=count, kind=kind, equal=equal, **parts)
    return wording.say("proven_only" if found == 1 else "proven_all", kind=kind, equal=equal, **parts)


def _plain_claim(explanation: Explanation, certificate: Certificate, wording: Wording) -> str:
    if explanation.status is Status.TIME_LIMIT and certificate.finest_open:
        leads = _for_applicant(f"leads{_conditions(certificate)}", _clearly(explanation, wording), wording)
        return wording.say("your_stopped_finest", space=_plain_space(certificate, wording), leads=leads)
    if explanation.status is Status.TIME_LIMIT and not len(explanation):
        return wording.say("your_stopped")
    if explanation.status in (Status.TIME_LIMIT, Status.HEURISTIC) or not certificate.proven:
        return _plain_unproven(explanation, certificate, wording)
    if not certificate.cells:
        return wording.say("your_proof_nothing_moves")
    found = 0 if explanation.status is Status.NO_RECOURSE else len(explanation) + explanation.unlisted
    conditions, clear = _conditions(certificate), _clearly(explanation, wording)
    if certificate.cells == 1:
        if found:
            return wording.say("your_proof_sole_some")
        if not conditions and not clear:
            return wording.say("your_proof_sole_none")
        needed = _for_applicant(f"to_lead{conditions}", clear, wording)
        return wording.say("your_proof_sole_none_if", to_lead=needed)
    space = _plain_space(certificate, wording)
    if not found:
        leads = _for_applicant(f"leads{conditions}", clear, wording)
        return wording.say("your_proof_none", space=space, leads=leads)
    claim = wording.say(
        "your_proof_only" if found == 1 else "your_proof_all",
        space=space,
        one=wording.say(f"one_that_leads{conditions}", clearly=clear),
        count=wording.numbers.count(found),
        objectives=wording.listed([wording.objective(name) for name in explanation.objectives]),
    )
    # Without ties, one option represents all of its cost, so the list is complete except for those.
    return claim if certificate.ties else f"{claim} {wording.say('your_equals')}"


def _for_applicant(key: str, clearly: str, wording: Wording) -> str:
    """State what an option must satisfy, in the words for applicants if they differ."""
    return wording.say(wording.words.variant(key, "applicant"), clearly=clearly)


def _conditions(certificate: Certificate) -> str:
    """Return the end of the key for what an option must satisfy besides acceptance."""
    plausible = "_plausible" if certificate.detector_family else ""
    rules = "_rules" if certificate.rules or certificate.checked_rules else ""
    return f"{plausible}{rules}"


def _clearly(explanation: Explanation, wording: Wording) -> str:
    """State that the decision must have a margin, if one is required, in the words that follow "leads"."""
    return wording.say("clearly") if explanation.margin > 0 else ""


def _space(certificate: Certificate, wording: Wording) -> str:
    """State how many combinations were searched."""
    count = count_text(certificate.cells, wording)
    return wording.counted("space", certificate.cells, count=count, limit=_limit(certificate, wording))


def _plain_space(certificate: Certificate, wording: Wording) -> str:
    cells = certificate.cells
    if cells < MOST_WRITTEN:
        return _space(certificate, wording)
    # Powers of ten are for those who calculate. A number of so many digits is easier to imagine.
    digits = len(str(cells)) if cells < LONGEST_WRITTEN else math.floor(math.log10(cells)) + 1
    return wording.say(
        "all_are_huge", limit=_limit(certificate, wording), digits=wording.numbers.count(digits)
    )


def _limit(certificate: Certificate, wording: Wording) -> str:
    """State how many changes are allowed at once; nothing if that is not a limit."""
    most = certificate.max_changes
    return "" if most is None or certificate.axes <= most else wording.counted("limit", most)


def open_costs(explanation: Explanation) -> dict[str, float]:
    """Return the least costs of open boxes in the order of the objectives, which JSON need not keep."""
    certificate = explanation.certificate
    held = {} if certificate is None or certificate.open_costs is None else certificate.open_costs
    return {name: held[name] for name in (*explanation.objectives, *held) if name in held}


def _stopped(certificate: Certificate, least: dict[str, float], wording: Wording, *, found: int) -> str:
    left = wording.counted("open", certificate.open_boxes, space=_space(certificate, wording))
    if least:
        costs = [
            wording.say("cost_of", objective=wording.objective(name), cost=wording.numbers.cost(cost))
            for name, cost in least.items()
        ]
        left = wording.say("open_at_best", left=left, costs=wording.listed(costs))
    held = wording.say("best_so_far" if found else "none_so_far")
    # An estimate that was made may have pruned nothing yet.
    unsure = certificate.estimate is not None and certificate.pruned.get("estimate") != 0
    return wording.say("stopped_unsure" if unsure else "stopped", held=held, left=left)


def _unproven(explanation: Explanation, certificate: Certificate, wording: Wording) -> str:
    reason = reason_unproven(explanation)
    parts = {
        "held": wording.say("better_may_exist" if len(explanation) else "some_may_exist"),
        "space": _space(certificate, wording),
        "work": _work(certificate, wording),
    }
    if reason == "estimate":
        parts["misses"] = wording.say("misses_unknown")
        estimate = certificate.estimate
        if estimate is not None and estimate.miss_rate is not None:
            share = _miss_share(estimate.miss_rate, wording)
            parts["misses"] = wording.counted("misses", estimate.sample_size or 0, share=share)
    return wording.say("unproven" if reason == "unknown" else f"unproven_{reason}", **parts)


def _plain_unproven(explanation: Explanation, certificate: Certificate, wording: Wording) -> str:
    reason, found = reason_unproven(explanation), len(explanation)
    rate = None if certificate.estimate is None else certificate.estimate.miss_rate
    if reason == "estimate" and rate is not None:
        because = wording.say("because_estimate_rate", share=_miss_share(rate, wording))
    else:
        because = wording.say(f"because_{reason}")
    sentence = wording.say("your_unproven_some" if found else "your_unproven_none", because=because)
    if not found or certificate.verified < found:
        return sentence
    return f"{sentence} {wording.counted('your_options_work', found)}"


def _miss_share(miss_rate: float, wording: Wording) -> str:
    """Write the share of people for whom an estimate is expected to miss something.

    It has two digits and is never rounded down, since it is an upper bound.
    """
    percentage = 100 * miss_rate
    digits = 1 - math.floor(math.log10(percentage)) if percentage > 0 else 0
    upper = math.ceil(percentage * 10.0**digits * (1 - 1e-12)) / 10.0**digits
    return wording.numbers.percent(float(f"{upper / 100:.12g}"))


def _work(certificate: Certificate, wording: Wording) -> str:
    if certificate.bound not in EVALUATED:
        return wording.counted("examined", certificate.boxes)
    if not certificate.scored:
        return wording.say("evaluated_none")
    return wording.counted("evaluated", certificate.scored)


def _confirmed(certificate: Certificate, models: int, wording: Wording) -> str:
    # Only the model is named: the library's own detector is its compiled score, and is not evaluated again.
    work = _work(certificate, wording)
    if not certificate.verified:
        return work
    if models == 1:
        return wording.counted("confirmed", certificate.verified, work=work)
    named = all_models(models, wording)
    return wording.counted("confirmed_models", certificate.verified, work=work, all=named)


def claims_none(explanation: Explanation) -> bool:
    """Return whether an explanation states a proof that there is no option."""
    return is_proven(explanation) and (explanation.status is Status.NO_RECOURSE or not len(explanation))


def _exact_grid(explanation: Explanation, certificate: Certificate, wording: Wording) -> list[str]:
    """State which grid is meant, if something is proven about one."""
    if not is_proven(explanation):
        return []
    key = f"on_{certificate.grid}"
    steps = claims_none(explanation) or certificate.finest_open
    sentences = [_with_steps(key, explanation, wording) if steps else wording.say(key)]
    if certificate.refined:
        sentences.append(wording.counted("on_refined", certificate.refined))
    return sentences


def _plain_grid(explanation: Explanation, certificate: Certificate, wording: Wording) -> list[str]:
    problem = explanation.problem
    if not is_proven(explanation):
        return []
    if not claims_none(explanation):
        sentences = [wording.say("your_grid_finest_some")] if certificate.grid == FINEST else []
        return [*sentences, wording.say("your_refined")] if certificate.refined else sentences
    if certificate.grid == FINEST:
        return [wording.say("your_grid_finest")]
    if problem is not None and not any(one.may_change for one in problem.features.values()):
        return []
    return [_with_steps("your_grid", explanation, wording)]


def _with_steps(key: str, explanation: Explanation, wording: Wording) -> str:
    """Name the first features that may change, with their steps, if any has steps."""
    problem = explanation.problem
    stepped = [
        (one, one.candidates.steps)
        for one in (() if problem is None else problem.features.values())
        if one.candidates is not None
        and one.candidates.steps is not None
        and one.moves in ADVISED
        and one.kind in ("whole", "number")
    ]
    names = [_steps_of(one, steps, wording) for one, steps in stepped[:MOST_NAMED]]
    if not names:
        return wording.say(key)
    if len(stepped) > MOST_NAMED:
        names.append(wording.counted("steps_more", len(stepped) - MOST_NAMED))
    return wording.say(f"{key}_steps", steps=wording.listed(names))


def _steps_of(feature: Feature, steps: tuple[float, float], wording: Wording) -> str:
    name, (least, most) = wording.name(feature.name), (displayed_step(step) for step in steps)
    if least == most:
        return wording.say("steps_equal", name=name, step=wording.step(feature.name, least))
    follows = wording.unit_follows(feature.name) or wording.is_share(feature.name)
    return wording.say(
        "steps_between",
        name=name,
        least=wording.step(feature.name, least, unit=not follows),
        most=wording.step(feature.name, most),
    )
