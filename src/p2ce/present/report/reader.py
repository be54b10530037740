"""Hold for whom a report is written, and write results in the words of that reader."""

from dataclasses import dataclass, field
from typing import Any

from p2ce.present.languages import check_audience
from p2ce.present.outcome_sentences import predicted
from p2ce.present.report.page_words import Labels, labels_for
from p2ce.present.speaker import Speaker, speaker_of
from p2ce.result import Explanation, Status
from p2ce.result.outcome_text import is_range, must_win

PERSON, AUDITOR = "person", "auditor"
GOOD, BAD, OPEN = "good", "bad", "open"
LOOKS = {
    Status.OPTIMAL: GOOD,
    Status.ALREADY_FAVOURABLE: GOOD,
    Status.NO_RECOURSE: BAD,
    Status.ERROR: BAD,
    Status.HEURISTIC: OPEN,
    Status.TIME_LIMIT: OPEN,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Whom a report is for: an audience, a language and its labels."""

    audience: str
    language: str
    labels: Labels = field(repr=False)

    @property
    def is_person(self) -> bool:
        """Whether the reader is the applicant, who needs no jargon."""
        return self.audience == PERSON

    @property
    def is_auditor(self) -> bool:
        """Whether the reader wants everything, and wants it open."""
        return self.audience == AUDITOR

    def status(self, explanation: Explanation) -> str:
        """Say how the search ended; an auditor gets the exact word as well."""
        return self.status_name(explanation.status)

    def status_name(self, status: Status) -> str:
        """Say what a status means."""
        words = self.labels.for_audience(f"status_{status.value}", self.audience)
        return f"{status.value}: {words}" if self.is_auditor else words[:1].upper() + words[1:]

    def result_name(self, explanation: Explanation) -> str:
        """Say what kind of number an option leads to."""
        if is_range(explanation.target) and _has_predictions(explanation):
            return self.labels("result_prediction")
        if must_win(explanation):
            return self.labels("result_probability" if _has_predictions(explanation) else "result_lead")
        return self.labels("result_score")

    def result(self, explanation: Explanation, score: float | None, prediction: Any, speaker: Speaker) -> str:
        """Write the model's output: its prediction where there is one, else the score."""
        wanted = is_range(explanation.target) or must_win(explanation)
        if wanted and prediction is not None:
            return predicted(prediction, explanation, speaker)
        return self.labels("none") if score is None else speaker.score(explanation, score)

    def today(self, explanation: Explanation, speaker: Speaker) -> str:
        """Write the model's output for the person as they are today."""
        return self.result(explanation, explanation.person_score, explanation.person_prediction, speaker)

    def speaker(self, explanation: Explanation) -> Speaker:
        """Give the speaker for one explanation."""
        return speaker_of(explanation, self.language)


def reader_for(audience: str, language: str) -> Reader:
    """Make a reader; an unknown audience or language raises and lists the known ones."""
    check_audience(audience)
    return Reader(audience=audience, language=language, labels=labels_for(language))


def _has_predictions(explanation: Explanation) -> bool:
    return explanation.person_prediction is not None or any(
        option.prediction is not None for option in explanation
    )
