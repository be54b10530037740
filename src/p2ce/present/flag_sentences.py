"""Write the flags of an option, which a reviewer should check."""

from p2ce.present.wording import Wording
from p2ce.result.counterfactual import Flag


def flag_text(flag: Flag, wording: Wording) -> str:
    """Write one flag as a clause, without a full stop."""
    if flag.kind == "breaks_relation":
        return wording.say(
            "flag_breaks_relation", name=wording.name(flag.feature), other=wording.name(flag.other)
        )
    key = "flag_against_up" if flag.direction == "up" else "flag_against_down"
    return wording.say(key, name=wording.name(flag.feature))
