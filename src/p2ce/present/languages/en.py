"""Say everything in English."""

WORDS = {
    # Values and numbers.
    "yes": "yes",
    "no": "no",
    "missing": "missing",
    "no_level": "none",
    "percent": "{number} %",
    "axis": "{name} ({unit})",
    "and": "{first} and {last}",
    "quoted": '"{text}"',
    "about": "about {number}",
    # One change, in the imperative. A name comes with its article.
    "raise": "raise {name} from {old} to {new}",
    "lower": "lower {name} from {old} to {new}",
    "raise_share": "raise {name} from {old} to {new}",
    "lower_share": "lower {name} from {old} to {new}",
    "change": "change {name} from {old} to {new}",
    "fill_in": "state {name} (only if the true value is {new}; missing so far)",
    "fill_in_share": "state {name} (only if the true value is {new}; missing so far)",
    "leave_out": "leave {name} unstated (only if that is permitted; now {old})",
    "change_nothing": "change nothing",
    # What changes along with the advice; no advice itself.
    "along": "{advice} (which takes {changes})",
    "along_part": "{name} from {old} to {new}",
    "along_part_share": "{name} from {old} to {new}",
    # Costs.
    "objective_mean_distance": "overall change",
    "objective_max_distance": "largest single change",
    "objective_changes": "number of changes",
    "objective_percentile_shift": "shift against other people",
    "objective_euclidean": "distance",
    # What an option is best at.
    "best_mean_distance": "smallest change overall",
    "best_max_distance": "smallest single change",
    "best_changes": "fewest changes",
    "best_percentile_shift": "smallest shift against other people",
    "best_euclidean": "smallest distance",
    "best_other": "lowest {objective}",
    "balanced": "balanced",
    "different": "unlike the others",
    "only": "the option found",
    # What a prediction must be; after "must be".
    "range_between": "between {low} and {high}",
    "range_from": "at least {low}",
    "range_to": "at most {high}",
    "range_any": "any number",
    "range_margin": "{narrowed} ({range}, with a margin of {margin})",
    # The current outcome, for an officer.
    "probability_of": "The probability of {target}",
    "probability_of_models": "The probability of {target}, by the strictest of {models} models,",
    "decision_for": "The decision score for {target}",
    "decision_for_models": "The decision score for {target}, by the strictest of {models} models,",
    "must_reach": "{what} is {score} and must reach {threshold}.",
    "more_than": "more than {number}",
    "with_margin": "{threshold} (with a margin of {margin})",
    "has_reached": "{what} is {score}, and {threshold} is enough.",
    "prediction_must": "The prediction is {prediction} and must be {range}.",
    "prediction_has": "The prediction is {prediction}; it must be {range}, and is.",
    "unknown_must_inside": (
        "The prediction must be {range}; today it is {distance} inside, which is not enough."
    ),
    "unknown_must_outside": "The prediction must be {range}; today it is {distance} outside.",
    "unknown_has": "The prediction must be {range}, and is.",
    "class_must": "Class {target} must win, and is {lead}.",
    "class_has": "Class {target} already wins: it is {lead}.",
    "lead_with_chance": "{lead} (its probability is {probability})",
    "ahead": "{number} ahead",
    "behind": "{number} behind",
    "level_enough": "level, which is enough",
    "level_short": "level, which is not enough",
    "models_stand": "Of {models} models, the strictest is {beyond}.",
    "models_stand_range": "The predictions of {all} must be {range}; the farthest is {distance} outside.",
    "models_stand_inside": (
        "The predictions of {all} must be {range}; the nearest to an end is {distance} inside."
    ),
    "above": "{number} above its threshold{margin}",
    "below": "{number} below its threshold{margin}",
    "margin_included": " (with a margin of {margin})",
    "all_two": "both models",
    "all_more": "all {models} models",
    "found_one": "{count} option was found that achieves this:",
    "found_many": "{count} options were found that achieve this:",
    "found_none": "No option was found.",
    # The outcome of an option, for an officer.
    "option": "{todo}. {result}.",
    "option_best": "{todo}. {result} ({best}).",
    "gives": "This gives {score}",
    "then_inside": "The prediction is then {distance} inside",
    "then_outside": "The prediction is then {distance} outside",
    "then_leads": "It is then {lead}",
    "then_leads_chance": "It is then {lead}, with a probability of {probability}",
    "then_models": "{all} are then {number} or more above their thresholds{margin}",
    "then_models_below": "The strictest model is then {number} below its threshold{margin}",
    "then_models_range": "The predictions of {all} are then {distance} or more inside",
    "then_models_outside": "The farthest of the predictions is then {distance} outside",
    # What is proven, for an officer.
    "space_one": "{count} possible combination{limit}",
    "space_many": "{count} possible combinations{limit}",
    "limit_one": " of at most {count} change",
    "limit_many": " of at most {count} changes",
    "optimal_one": "Pareto-optimal option",
    "optimal_one_plausible": "Pareto-optimal plausible option",
    "optimal_one_rules": "Pareto-optimal permitted option",
    "optimal_one_plausible_rules": "Pareto-optimal plausible and permitted option",
    "optimal_many": "Pareto-optimal options",
    "optimal_many_plausible": "Pareto-optimal plausible options",
    "optimal_many_rules": "Pareto-optimal permitted options",
    "optimal_many_plausible_rules": "Pareto-optimal plausible and permitted options",
    "up_to_equals": ", up to options of equal cost",
    "proven_all": "Proven: these are all the {kind} among {space}{equal}; {work}.",
    "proven_only": "Proven: this is the only {kind} among {space}{equal}; {work}.",
    "proven_none": "Proven: on this grid, none of {space} leads {clearly}to the wanted decision; {work}.",
    "proven_none_plausible": (
        "Proven: on this grid, none of {space} leads {clearly}to the wanted decision and stays plausible; "
        "{work}."
    ),
    "proven_none_rules": (
        "Proven: on this grid, none of {space} leads {clearly}to the wanted decision and keeps to the "
        "rules; {work}."
    ),
    "proven_none_plausible_rules": (
        "Proven: on this grid, none of {space} leads {clearly}to the wanted decision, stays plausible and "
        "keeps to the rules; {work}."
    ),
    "proven_sole_some": "Proven: this is the only possible combination{limit}; {work}.",
    "proven_sole_none": (
        "Proven: on this grid, the only possible combination{limit} does not do what it would have to, "
        "which is to {to_lead}; {work}."
    ),
    "proof_of_exact": "Proof and costs are about the exact values; some values shown here are rounded.",
    "proven_nothing_moves": "Proven: on this grid no feature may change, so there is no option.",
    # On which grid, for an officer.
    "on_given": "The grid is the one that was given.",
    "on_given_steps": "The grid is the one that was given: {steps}.",
    "on_inferred": (
        "The grid was inferred from the data, with values beside the model's thresholds where these are "
        "known."
    ),
    "on_inferred_steps": (
        "The grid was inferred from the data ({steps}), with values beside the model's thresholds where "
        "these are known."
    ),
    "on_finest": (
        "The usual grid held no option, so this is about the finest grid that the data support: where values "
        "were not given, all values of the data (of very many, an even selection) and those beside known "
        "thresholds of model and detector."
    ),
    "on_finest_steps": (
        "The usual grid ({steps}) held no option, so this is about the finest grid that the data support: "
        "where values were not given, all values of the data (of very many, an even selection) and those "
        "beside known thresholds of model and detector."
    ),
    "on_finest_open": (
        "The finest grid that the data support was searched as well, but not to its end: an option may exist "
        "there."
    ),
    "steps_equal": "{name} in steps of {step}",
    "steps_equal_share": "{name} in steps of {step}",
    "steps_between": "{name} in steps of {least} to {most}",
    "steps_between_share": "{name} in steps of {least} to {most}",
    "steps_more_one": "{count} more feature",
    "steps_more_many": "{count} more features",
    "examined_one": "{count} box examined",
    "examined_many": "{count} boxes examined",
    "evaluated_one": "{count} evaluated",
    "evaluated_many": "{count} evaluated",
    "evaluated_none": "none had to be evaluated",
    "confirmed_one": "{work}, {count} point confirmed by the model itself",
    "confirmed_many": "{work}, {count} points confirmed by the model itself",
    "confirmed_models_one": "{work}, {count} point confirmed by {all} themselves",
    "confirmed_models_many": "{work}, {count} points confirmed by {all} themselves",
    "unproven": "Not proven: {held}; {space}, {work}.",
    "unproven_contradiction": (
        "Not proven: the model or detector contradicts its parsed form, so {held}; {space}, {work}."
    ),
    "unproven_doubt": "Not proven: rounding left too many points in doubt, so {held}; {space}, {work}.",
    "unproven_misprint": (
        "Not proven: the algorithm ran as the paper prints it, misprints included, so {held}; "
        "{space}, {work}."
    ),
    "unproven_estimate": (
        "Not proven: an estimate cut the search short, so {held}; {misses}; {space}, {work}."
    ),
    "better_may_exist": "better ones may exist",
    "some_may_exist": "options may still exist",
    "misses_unknown": "its miss rate is not known",
    "misses_one": (
        "calibrated on {count} person, it is expected to miss options for at most {share} of rejected "
        "applicants"
    ),
    "misses_many": (
        "calibrated on {count} people, it is expected to miss options for at most {share} of rejected "
        "applicants"
    ),
    "stopped": "Not proven: the search was stopped early, {held}; {left}.",
    "stopped_unsure": (
        "Not proven: the search was stopped early, {held}; {left}, and an estimate pruned others without "
        "proof."
    ),
    "best_so_far": "the options are the best found so far",
    "none_so_far": "no option was found so far",
    "open_one": "{count} box among {space} is still open",
    "open_many": "{count} boxes among {space} are still open",
    "open_at_best": "{left} (at best: {costs})",
    "cost_of": "{objective} {cost}",
    "rules_kept": "Rules that all options keep to: {rules}.",
    "rules_checked": "Checked on each candidate, without shortening the search: {rules}.",
    "favourable": "No change is needed: the model already accepts this applicant.",
    "failed": "No explanation: {message}",
    "failed_silently": "No explanation: this row could not be explained.",
    "no_certificate": "There is no certificate, so nothing is claimed beyond the options themselves.",
    # The same for the applicant.
    "you_rejected": "At present, the model rejects your application.",
    "you_rejected_margin": "At present, the model does not accept your application clearly enough.",
    "you_rejected_models": "At present, at least one of {models} models rejects your application.",
    "you_rejected_models_margin": (
        "At present, at least one of {models} models does not accept your application clearly enough."
    ),
    "you_rejected_class": "At present, the model does not predict {target} for you.",
    "you_rejected_range": "At present, the model's prediction for you is not {range}.",
    "you_predicted": "The model predicts {prediction} for you; it must be {range}.",
    "you_accepted": "The model already accepts your application.",
    "you_can_one": "This option would change that:",
    "you_can_many": "You can choose one of these {count} options:",
    "you_can_few": "You can choose one of these {count} options, picked because they differ from each other:",
    "you_cannot": "We found no option that would change that.",
    "your_option": "{todo}.",
    "your_option_best": "{todo} – {best}.",
    "more_one": "{count} more option was found.",
    "more_many": "{count} more options were found.",
    "all_are_huge": "possible combinations{limit} (a number with {digits} digits)",
    "clearly": "clearly enough ",
    "leads": "leads {clearly}to the wanted decision",
    "leads_plausible": "leads {clearly}to the wanted decision and is realistic",
    "leads_rules": "leads {clearly}to the wanted decision and keeps to the rules",
    "leads_plausible_rules": "leads {clearly}to the wanted decision, is realistic and keeps to the rules",
    "one_that_leads": "one that leads {clearly}to the wanted decision",
    "one_that_leads_plausible": "realistic one that leads {clearly}to the wanted decision",
    "one_that_leads_rules": "permitted one that leads {clearly}to the wanted decision",
    "one_that_leads_plausible_rules": (
        "realistic and permitted one that leads {clearly}to the wanted decision"
    ),
    "to_lead": "lead {clearly}to the wanted decision",
    "to_lead_plausible": "lead {clearly}to the wanted decision and be realistic",
    "to_lead_rules": "lead {clearly}to the wanted decision and keep to the rules",
    "to_lead_plausible_rules": "lead {clearly}to the wanted decision, be realistic and keep to the rules",
    "your_proof_all": (
        "It is proven that no option is easier: of the {space}, every {one} takes at least as much effort "
        "as one of the {count} options (measured by {objectives})."
    ),
    "your_proof_only": (
        "It is proven that no option is easier: of the {space}, every {one} takes at least as much effort "
        "as this one (measured by {objectives})."
    ),
    "your_proof_none": "It is proven that none of the {space} {leads}.",
    "your_proof_sole_some": "It is proven that there is no other option: this is the only possible change.",
    "your_proof_sole_none": "It is proven that the only possible change is not enough.",
    "your_proof_sole_none_if": (
        "It is proven that the only possible change does not do what it would have to: {to_lead}."
    ),
    "your_proof_of_exact": (
        "The proof is about the exact values. Where a value is shown rounded, the rounded value was checked "
        "and is accepted as well."
    ),
    "your_proof_nothing_moves": (
        "It is proven that there is no option, since there is nothing that you can be advised to change."
    ),
    "your_grid": "This holds for the values that were tried.",
    "your_grid_steps": "This holds for the values that were tried: {steps}.",
    "your_grid_open": (
        "This holds for the values that were tried; values closer together were tried too, but not all of "
        "them."
    ),
    "your_grid_open_steps": (
        "This holds for the values that were tried: {steps}; values closer together were tried too, but not "
        "all of them."
    ),
    "your_grid_finest": (
        "This holds for the values that were tried, which are as close together as the data and the given "
        "steps allow."
    ),
    "your_grid_finest_some": (
        "Values closer together than usual were tried, since the usual ones held no option."
    ),
    "your_unproven_some": "This list is not proven to be complete, and easier options may exist: {because}.",
    "your_unproven_none": "It is not proven that there is no option; some may still exist: {because}.",
    "because_stopped": "the search was stopped early",
    "because_contradiction": "the model contradicted what we had computed from it",
    "because_doubt": "some close calls could not be settled",
    "because_misprint": "the search followed a printed method, with its misprints",
    "because_unknown": "the search has no proof",
    "because_estimate": "the search was shortened by an estimate whose miss rate is not known",
    "because_estimate_rate": (
        "the search was shortened by an estimate, which is expected to miss options for at most "
        "{share} of rejected applicants"
    ),
    "your_options_work_one": "The option was checked with the model itself.",
    "your_options_work_many": "Each option was checked with the model itself.",
    "your_no_certificate": "Nothing is claimed about other options.",
    "your_favourable": "You do not have to change anything.",
    "your_failed": "We could not compute an explanation for you. The reason is: {message}",
    "your_failed_silently": "We could not compute an explanation for you.",
    "no_promise": "This explains how a model decides; it is not a promise of what will be decided.",
    # Why there is no option.
    "relaxations": "An option exists if restrictions are relaxed (tried: {considered}):",
    "relaxation": "Without {restrictions}: {todo}.",
    "relaxation_unproven": "Without {restrictions}: {todo} (a smaller set or a cheaper option may exist).",
    "no_relaxation": (
        "Even without all restrictions that were tried ({considered}), there is no option among the "
        "values that were tried."
    ),
    "no_relaxation_found": "No option was found by relaxing restrictions (tried: {considered}).",
    "relaxations_complete": (
        "This list is complete: a smaller relaxation gives no option among the values that were tried."
    ),
    "relaxations_incomplete": "This list may not be complete.",
    "undecided": "Time limit reached before a result: without {restrictions}.",
    "restriction_changes": "the limit {text}",
    "restriction_direction": "the direction {text}",
    "restriction_range": "the range {text}",
    "restriction_missing": "the restriction {text}",
    "restriction_rule": "the rule {text}",
    "restriction_plausibility": "the requirement that options are realistic",
    # Rules and restrictions between features.
    "in_english": "{text} (in English, as it was written)",
    "rule_up": "{name} only increases",
    "rule_down": "{name} only decreases",
    "rule_most": "changes at once: at most {most} (would be {more})",
    "rule_missing": "{name} stays missing",
    "rule_within": "{name} from {low} to {high} (would be {lower} to {higher}, as far as the data go)",
    "rule_moves": "{name} moves as much as {driver} does",
    "rule_moves_times": "{name} moves {ratio} times as much as {driver} does",
    "rule_exclusive": "no more than one of these changes: {names}",
    "rule_nonzero": "no more than one of these is other than 0: {names}",
    "rule_together": "{names} change together or not at all",
    "rule_choices": "{name} is one of these only: {listed}",
    "rule_never": "{name} never changes like this: {transitions}",
    "rule_only": "{name} changes only like this: {transitions}",
    "rule_level": "{name} is one of these: {names}",
    "rule_level_none": "{name} is one of these or none: {names}",
    "rule_if": "if {condition}, then {consequence}",
    "when_changes": "{name} changes",
    "when_most": "{name} is at most {high}",
    "when_least": "{name} is at least {low}",
    "when_between": "{name} is from {low} to {high}",
    "when_one_of": "{name} is one of {values}",
    "when_is": "{name} is {value}",
    "candidates_steps": "{count}: {low} to {high}, every {step}",
    "candidates_between": "{count}: {low} to {high}, in steps of {least} to {most}",
    "candidates_list": "{count}: {values}",
    "candidates_go_missing": "{candidates}; may go missing",
    "candidates_stay_missing": "{candidates}; missing stays",
    "candidates_stay_special": "{candidates}; special values that stay: {values}",
    "candidates_leave_special": "{candidates}; special values that may be left: {values}",
}
