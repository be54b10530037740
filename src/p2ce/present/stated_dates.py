"""Write the dates that explanations state: one, a range, or none."""

from p2ce.present.wording import Wording
from p2ce.result.stated_date import StatedDates


def dates_text(dates: StatedDates, audience: str, wording: Wording) -> str:
    """State the date of explanations. If none states a date, write nothing for an applicant."""
    if dates.first is None or dates.last is None:
        return "" if audience == "applicant" else wording.say("no_date")
    day = wording.numbers.date
    if dates.first == dates.last:
        text = wording.say("as_of", date=day(dates.first))
    else:
        text = wording.say("as_of_range", first=day(dates.first), last=day(dates.last))
    return f"{text} {wording.counted('without_date', dates.without)}" if dates.without else text
