"""Describe an audit in words: what stands out, a section for each grouping, and how to read it."""

import math
from dataclasses import dataclass

from p2ce.portfolio.audits.audit_result import Audit, Contrast, Group, MetricValue
from p2ce.portfolio.audits.groupings import MISSING
from p2ce.portfolio.audits.metrics import Metric
from p2ce.portfolio.audits.outcomes import UNKNOWN
from p2ce.present.charts.group_data import cost_text, group_name, grouping_name, metric_name, metric_text
from p2ce.present.views.audit_facts import Fact, dates_text, named_facts, provenance_facts
from p2ce.present.wording import Wording, capital, wording_for

MOST_FINDINGS, MOST_TESTS, MOST_FEATURES = 12, 60, 8
SMALLEST_P = 0.001
DASH = "–"
FEW = "few"  # the kind of cells that are greyed


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditTable:
    """A table in words. A cell is its text, or its text and kind."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | tuple[str, str], ...], ...]
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupingView:
    """The groups of one grouping in words."""

    groups: tuple[Group, ...]
    heading: str
    outcomes: AuditTable
    reasons: AuditTable | None
    costs: AuditTable | None
    tests: AuditTable | None
    features: AuditTable | None
    lines: tuple[str, ...]  # for text


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditView:
    """An audit in words."""

    audit: Audit
    wording: Wording
    title: str
    date: str
    lead: str
    notices: tuple[str, ...]
    notes: tuple[str, ...]
    outcomes: AuditTable
    findings_lead: str
    findings: tuple[str, ...]
    groupings: tuple[GroupingView, ...]
    method: tuple[str, ...]
    provenance: tuple[Fact, ...]
    audience: str = "auditor"


def view_of_audit(audit: Audit, language: str) -> AuditView:
    """Describe an audit in the words of a language."""
    wording = wording_for(audit.problem, language)
    findings_lead, findings = _findings(audit, wording)
    return AuditView(
        audit=audit,
        wording=wording,
        title=wording.counted("audit_title", audit.all_people.people),
        date=dates_text(audit.dates, "auditor", wording),
        lead=_lead(audit, wording),
        notices=_notices(audit, wording),
        notes=_notes(audit, wording),
        outcomes=_all_outcomes(audit.all_people, wording),
        findings_lead=findings_lead,
        findings=findings,
        groupings=tuple(_grouping(audit, groups, wording) for groups in audit.groupings.values()),
        method=_method(audit, wording),
        provenance=(*_settings(audit, wording), *provenance_facts(audit.problem, wording)),
    )


def _lead(audit: Audit, wording: Wording) -> str:
    all_people, count, share = audit.all_people, wording.numbers.count, wording.numbers.share
    explained = all_people.accepted + all_people.rejected
    if not explained:
        return wording.say("audit_lead_errors")
    if not all_people.rejected:
        return wording.say("audit_lead_accepted", explained=count(explained))
    return wording.say(
        "audit_lead",
        rejected=count(all_people.rejected),
        explained=count(explained),
        rate=share(all_people.rejected / explained),
        with_recourse=count(all_people.with_recourse),
        recourse=share(all_people.with_recourse / all_people.rejected),
    )


def _notices(audit: Audit, wording: Wording) -> tuple[str, ...]:
    all_people = audit.all_people
    found = []
    if all_people.unfinished:
        ends = all_people.with_recourse, all_people.with_recourse + all_people.unfinished
        low, high = (wording.numbers.percent(round(end / all_people.rejected, 3)) for end in ends)
        found.append(wording.counted("audit_unfinished", all_people.unfinished, low=low, high=high))
    if all_people.errors:
        found.append(wording.counted("audit_errors", all_people.errors))
    if all_people.unproven:
        found.append(wording.counted("audit_unproven", all_people.unproven))
    if audit.objectives and (open_people := all_people.unfinished + all_people.unproven):
        found.append(wording.counted("audit_open_costs", open_people))
    return tuple(found)


def _notes(audit: Audit, wording: Wording) -> tuple[str, ...]:
    found = []
    if reasons := _known_reasons(audit.all_people):
        people = audit.all_people.none_because
        named = [f"{wording.say(f'reason_{one}')} {wording.numbers.count(people[one])}" for one in reasons]
        found.append(wording.say("audit_reasons", reasons="; ".join(named)))
    if any(MISSING in group.values for group in audit.groups):
        found.append(wording.say("audit_missing_note"))
    if any(len(group.metrics) < len(audit.all_metrics) for group in audit.groups):
        found.append(wording.counted("audit_few_note", audit.min_size))
    return tuple(found)


def _all_outcomes(group: Group, wording: Wording) -> AuditTable:
    """Count all people by outcome. The shares of groups have other denominators."""
    outcomes = {
        "chart_outcome_favourable": group.accepted,
        "chart_outcome_with_options": group.with_recourse,
        "chart_outcome_no_recourse": group.no_recourse,
        "chart_outcome_no_fronts": group.unfinished,
        "chart_outcome_error": group.errors,
    }
    return AuditTable(
        caption=wording.say("summary_caption"),
        columns=(wording.say("col_status"), wording.say("col_people"), wording.say("col_share")),
        rows=tuple(
            (
                wording.say(key),
                wording.numbers.count(people),
                wording.numbers.share(people / max(group.people, 1)),
            )
            for key, people in outcomes.items()
        ),
    )


def _findings(audit: Audit, wording: Wording) -> tuple[str, tuple[str, ...]]:
    """List the comparisons that are beyond chance after the correction, the clearest first."""
    if not audit.comparisons:
        return wording.say("audit_findings_untested"), ()
    level = wording.numbers.percent(round(1.0 - audit.confidence, 10))
    comparisons = wording.numbers.count(audit.comparisons)
    # An interval and a test may disagree at their edges, so both must agree.
    found = [
        one
        for one in _comparisons(audit, audit.groups)
        if one[3] <= 1.0 - audit.confidence and not _holds_zero(one[0].to_overall[one[1].name])
    ]
    if not found:
        return wording.say("audit_findings_none", count=comparisons, level=level), ()
    lines = [_finding(audit, group, metric, wording) for group, metric, *_ in found[:MOST_FINDINGS]]
    if more := len(found) - len(lines):
        lines.append(wording.counted("audit_findings_more", more))
    number = wording.numbers.count(len(found))
    return wording.say("audit_findings", found=number, count=comparisons, level=level), tuple(lines)


def _holds_zero(contrast: Contrast) -> bool:
    return contrast.difference.low <= 0.0 <= contrast.difference.high


def _comparisons(audit: Audit, groups: tuple[Group, ...]) -> list[tuple[Group, Metric, float, float]]:
    """List the tests of some groups with their p-values, the smallest corrected one first."""
    metrics = {metric.name: metric for metric in audit.all_metrics}
    found = [
        (group, metrics[name], test.p_value, test.corrected)
        for group in groups
        for name, test in group.tests.items()
    ]
    return sorted(found, key=lambda one: (one[3], round(one[2], 12)))


def _finding(audit: Audit, group: Group, metric: Metric, wording: Wording) -> str:
    name = metric.name
    return wording.say(
        "audit_finding",
        grouping=capital(grouping_name(group.columns, wording)),
        group=wording.say("quoted", text=group_name(group, wording)),
        metric=metric_name(metric, wording),
        value=_known(group, metric, wording),
        whole=_known(audit.all_people, metric, wording),
        difference=_difference(group.to_overall[name], metric, wording),
        p=p_text(group.tests[name].corrected, wording),
    )


def _known(group: Group, metric: Metric, wording: Wording) -> str:
    """Write a figure. The share with an option is a range if searches are unfinished."""
    text = metric_text(group.metrics[metric.name].value, metric, wording)
    if metric.name != "recourse_rate" or not group.unfinished or group.recourse_at_most is None:
        return text
    return f"{text} {DASH} {metric_text(group.recourse_at_most, metric, wording)}"


def _grouping(audit: Audit, groups: tuple[Group, ...], wording: Wording) -> GroupingView:
    everybody = audit.all_people
    rows = (*groups, everybody)
    confidence = wording.numbers.percent(audit.confidence)
    rates = [metric for metric in audit.all_metrics if metric.kind == "rate"]
    costs = [metric for metric in audit.all_metrics if metric.kind != "rate" and metric.best]
    outcomes = AuditTable(
        caption=wording.say("audit_outcomes_caption", confidence=confidence),
        columns=(
            wording.say("col_group"),
            wording.say("col_people"),
            wording.say("col_rejected"),
            wording.say("col_recourse"),
            wording.say("col_no_recourse"),
            *([wording.say("col_unfinished")] if everybody.unfinished else []),
            *([wording.say("col_errors")] if everybody.errors else []),
        ),
        rows=tuple(
            (
                _name(group, wording),
                wording.numbers.count(group.people),
                *(_cell(group, one, wording) for one in rates if one.best or everybody.unfinished),
                *([wording.numbers.count(group.errors)] if everybody.errors else []),
            )
            for group in rows
        ),
    )
    return GroupingView(
        groups=groups,
        heading=wording.say("audit_by", names=grouping_name(groups[0].columns, wording)),
        outcomes=outcomes,
        reasons=_reasons(rows, everybody, wording),
        costs=AuditTable(
            caption=wording.say("audit_costs_caption", confidence=confidence),
            columns=(
                wording.say("col_group"),
                *(
                    wording.say("col_median", objective=wording.objective(one.objective))
                    if one.kind == "quantile"
                    else wording.say("col_burden")
                    for one in costs
                ),
            ),
            rows=tuple(
                (_name(group, wording), *(_cell(group, one, wording) for one in costs)) for group in rows
            ),
        )
        if any(one.name in group.metrics for group in groups for one in costs)
        else None,
        tests=_tests(audit, groups, wording),
        features=_features(rows, everybody, wording),
        lines=tuple(_line(audit, group, wording) for group in groups),
    )


def _tests(audit: Audit, groups: tuple[Group, ...], wording: Wording) -> AuditTable | None:
    found = _comparisons(audit, groups)
    if not found:
        return None
    columns = (
        "col_group",
        "col_metric",
        "col_to_overall",
        "col_ratio",
        "col_to_best",
        "col_p",
        "col_corrected",
    )
    left_out = len(found) - MOST_TESTS
    return AuditTable(
        caption=wording.say("audit_tests_caption"),
        columns=tuple(map(wording.say, columns)),
        rows=tuple(
            (
                group_name(group, wording),
                metric_name(metric, wording),
                _difference(group.to_overall.get(metric.name), metric, wording),
                _ratio(group.to_overall.get(metric.name), wording),
                _difference(group.to_best.get(metric.name), metric, wording),
                p_text(p_value, wording),
                p_text(corrected, wording),
            )
            for group, metric, p_value, corrected in found[:MOST_TESTS]
        ),
        note=wording.counted("audit_tests_cut", left_out) if left_out > 0 else "",
    )


def _features(rows: tuple[Group, ...], everybody: Group, wording: Wording) -> AuditTable | None:
    names = list(everybody.features)[:MOST_FEATURES]
    if not names:
        return None
    few = (wording.say("audit_few"), FEW)
    return AuditTable(
        caption=wording.say("audit_features_caption"),
        columns=(wording.say("col_group"), *(wording.name(name) for name in names)),
        rows=tuple(
            (
                _name(group, wording),
                *(
                    wording.numbers.share(group.features.get(name, 0.0)) if group.features else few
                    for name in names
                ),
            )
            for group in rows
        ),
    )


def _reasons(rows: tuple[Group, ...], everybody: Group, wording: Wording) -> AuditTable | None:
    """Split the people without an option by the reason."""
    if not (known := _known_reasons(everybody)):
        return None
    return AuditTable(
        caption=wording.say("audit_reasons_caption"),
        columns=(wording.say("col_group"), *(capital(wording.say(f"reason_{reason}")) for reason in known)),
        rows=tuple(
            (_name(group, wording), *(_reason(group, reason, wording) for reason in known)) for group in rows
        ),
    )


def _known_reasons(everybody: Group) -> list[str]:
    """List the reasons that occur; none if all are "unknown"."""
    found = [reason for reason, people in everybody.none_because.items() if people]
    return [] if found == [UNKNOWN] else found


def _reason(group: Group, reason: str, wording: Wording) -> str:
    people = group.none_because.get(reason, 0)
    return f"{wording.numbers.count(people)} ({wording.numbers.share(people / max(group.no_recourse, 1))})"


def _name(group: Group, wording: Wording) -> str | tuple[str, str]:
    """Return the first cell of a row. The row of all people comes last and is marked."""
    return group_name(group, wording) if group.columns else (wording.say("audit_all"), "strong")


def _cell(group: Group, metric: Metric, wording: Wording) -> str | tuple[str, str]:
    found = group.metrics.get(metric.name)
    if found is None:
        return wording.say("audit_few"), FEW
    return f"{metric_text(found.value, metric, wording)} ({_ends(found, metric, wording)})"


def _ends(found: MetricValue, metric: Metric, wording: Wording) -> str:
    low, high = (metric_text(end, metric, wording) for end in (found.low, found.high))
    return f"{low} – {high}"


def _difference(contrast: Contrast | None, metric: Metric, wording: Wording) -> str:
    """Write a difference with its interval: shares in percentage points."""
    if contrast is None:
        return DASH

    def signed(value: float) -> str:
        if math.isinf(value):
            return wording.say("audit_open")
        text = wording.numbers.fixed(100 * value, 1) if metric.kind == "rate" else cost_text(value, wording)
        return f"+{text}" if value > 0 else text.replace("-", "\N{MINUS SIGN}")

    found = contrast.difference
    value = signed(found.value)
    if metric.kind == "rate":
        value = wording.say("audit_points", number=value)
    return f"{value} ({signed(found.low)} … {signed(found.high)})"


def _ratio(contrast: Contrast | None, wording: Wording) -> str:
    if contrast is None or contrast.ratio is None:
        return DASH
    value, low, high = (
        wording.say("audit_open") if math.isinf(one) else wording.numbers.fixed(one, 2)
        for one in (contrast.ratio.value, contrast.ratio.low, contrast.ratio.high)
    )
    return f"{value} ({low} – {high})"


def p_text(p_value: float, wording: Wording) -> str:
    """Write a p-value, or the bound below which a small one lies.

    >>> p_text(0.0004, wording_for(None)), p_text(0.0312, wording_for(None))
    ('< 0.001', '0.031')
    """
    if p_value < SMALLEST_P:
        return f"< {wording.numbers.fixed(SMALLEST_P, 3)}"
    return wording.numbers.fixed(p_value, 3)


def _line(audit: Audit, group: Group, wording: Wording) -> str:
    """Write a group in one line of text."""
    name, count = group_name(group, wording), wording.numbers.count
    if not group.metrics:
        few = wording.say("audit_few")
        text = wording.say(
            "audit_count", group=name, people=count(group.people), rejected=count(group.rejected)
        )
        return f"{text} ({few})"

    def cell(metric: Metric) -> str:
        found = _cell(group, metric, wording)
        return found if isinstance(found, str) else found[0]

    metrics = {metric.name: metric for metric in audit.all_metrics}
    medians = [metric for metric in audit.all_metrics if metric.is_median]
    costs = (
        wording.say("audit_line_cost", metric=metric_name(metric, wording), value=cell(metric))
        for metric in medians
        if metric.name in group.metrics
    )
    return wording.say(
        "audit_line",
        group=name,
        people=count(group.people),
        rate=cell(metrics["rejection_rate"]),
        recourse=cell(metrics["recourse_rate"]),
        none=cell(metrics["no_recourse_rate"]),
        costs="".join(costs),
    )


def _method(audit: Audit, wording: Wording) -> tuple[str, ...]:
    count, confidence = wording.numbers.count, wording.numbers.percent(audit.confidence)
    return (
        wording.say("audit_method_intervals", resamples=count(audit.resamples), confidence=confidence),
        wording.say(
            "audit_method_permutations",
            permutations=count(audit.permutations),
            comparisons=count(audit.comparisons),
        ),
        *([wording.say("audit_method_costs")] if audit.objectives else []),
        wording.say("audit_method_best"),
        wording.say("audit_method_mix"),
    )


def _settings(audit: Audit, wording: Wording) -> tuple[Fact, ...]:
    facts = {
        "audit_package": audit.package,
        "audit_people": wording.numbers.count(audit.all_people.people),
        "audit_seed": wording.full(audit.random_state),
    }
    return named_facts(facts, wording)
