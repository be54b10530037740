"""Say everything in Spanish."""

WORDS = {
    # Values and numbers.
    "yes": "sí",
    "no": "no",
    "missing": "ausente",
    "no_level": "ninguno",
    "percent": "{number} %",
    "axis": "{name} ({unit})",
    "and": "{first} y {last}",
    "quoted": "«{text}»",
    "about": "unas {number}",
    # One change, in the imperative. A name comes with its article.
    "raise": "aumente {name} de {old} a {new}",
    "lower": "reduzca {name} de {old} a {new}",
    "raise_share": "aumente {name} del {old} al {new}",
    "lower_share": "reduzca {name} del {old} al {new}",
    "change": "cambie {name} de {old} a {new}",
    "fill_in": "indique {name} (solo si el valor verdadero es {new}; hoy sin valor)",
    "fill_in_share": "indique {name} (solo si el valor verdadero es del {new}; hoy sin valor)",
    "leave_out": "deje {name} sin indicar (solo si está permitido; hoy {old})",
    "change_nothing": "no cambie nada",
    # What changes along with the advice; no advice itself.
    "along": "{advice} (lo que lleva {changes})",
    "along_part": "{name} de {old} a {new}",
    "along_part_share": "{name} del {old} al {new}",
    # Costs.
    "objective_mean_distance": "cambio total",
    "objective_max_distance": "mayor cambio individual",
    "objective_changes": "número de cambios",
    "objective_percentile_shift": "desplazamiento respecto a otras personas",
    "objective_euclidean": "distancia",
    # What an option is best at.
    "best_mean_distance": "menor cambio total",
    "best_max_distance": "menor cambio individual",
    "best_changes": "menos cambios",
    "best_percentile_shift": "menor desplazamiento respecto a otras personas",
    "best_euclidean": "menor distancia",
    "best_other": "menor valor de {objective}",
    "balanced": "opción equilibrada",
    "different": "opción distinta de las demás",
    "only": "la opción encontrada",
    # What a prediction must be; after "debe quedar".
    "range_between": "entre {low} y {high}",
    "range_from": "en {low} o más",
    "range_to": "en {high} o menos",
    "range_any": "en cualquier número",
    "range_margin": "{narrowed} ({range}, con un margen de {margin})",
    # The current outcome, for an officer.
    "probability_of": "La probabilidad de {target}",
    "probability_of_models": "La probabilidad de {target}, según el más exigente de {models} modelos,",
    "decision_for": "La puntuación de decisión para {target}",
    "decision_for_models": (
        "La puntuación de decisión para {target}, según el más exigente de {models} modelos,"
    ),
    "must_reach": "{what} es {score} y debe llegar a {threshold}.",
    "more_than": "más de {number}",
    "with_margin": "{threshold} (con un margen de {margin})",
    "has_reached": "{what} es {score}, y con {threshold} basta.",
    "prediction_must": "La predicción es {prediction} y debe quedar {range}.",
    "prediction_has": "La predicción es {prediction}; debe quedar {range}, y así es.",
    "unknown_must_inside": (
        "La predicción debe quedar {range}; hoy está {distance} hacia dentro, lo que no basta."
    ),
    "unknown_must_outside": "La predicción debe quedar {range}; hoy está {distance} hacia fuera.",
    "unknown_has": "La predicción debe quedar {range}, y así es.",
    "class_must": "La clase {target} debe ganar y está {lead}.",
    "class_has": "La clase {target} ya gana: está {lead}.",
    "lead_with_chance": "{lead} (su probabilidad es {probability})",
    "ahead": "{number} por delante",
    "behind": "{number} por detrás",
    "level_enough": "empatada, lo que basta",
    "level_short": "empatada, lo que no basta",
    "models_stand": "De {models} modelos, el más exigente está {beyond}.",
    "models_stand_range": (
        "Las predicciones de {all} deben quedar {range}; la más alejada está {distance} hacia fuera."
    ),
    "models_stand_inside": (
        "Las predicciones de {all} deben quedar {range}; la más próxima a un extremo "
        "está {distance} hacia dentro."
    ),
    "above": "{number} por encima de su umbral{margin}",
    "below": "{number} por debajo de su umbral{margin}",
    "margin_included": " (con un margen de {margin})",
    "all_two": "ambos modelos",
    "all_more": "los {models} modelos",
    "found_one": "Se encontró {count} opción que lo logra:",
    "found_many": "Se encontraron {count} opciones que lo logran:",
    "found_none": "No se encontró ninguna opción.",
    # The outcome of an option, for an officer.
    "option": "{todo}. {result}.",
    "option_best": "{todo}. {result} ({best}).",
    "gives": "El resultado es {score}",
    "then_inside": "La predicción queda entonces {distance} hacia dentro",
    "then_outside": "La predicción queda entonces {distance} hacia fuera",
    "then_leads": "La clase queda entonces {lead}",
    "then_leads_chance": "La clase queda entonces {lead}, con una probabilidad de {probability}",
    "then_models": "{all} quedan entonces {number} o más por encima de sus umbrales{margin}",
    "then_models_below": "El modelo más exigente queda entonces {number} por debajo de su umbral{margin}",
    "then_models_range": "Las predicciones de {all} quedan entonces {distance} o más hacia dentro",
    "then_models_outside": "La más alejada de las predicciones queda entonces {distance} hacia fuera",
    # What is proven, for an officer.
    "space_one": "{count} combinación posible{limit}",
    "space_many": "{count} combinaciones posibles{limit}",
    "limit_one": " con {count} cambio como máximo",
    "limit_many": " con {count} cambios como máximo",
    "optimal_one": "opción óptima de Pareto",
    "optimal_one_plausible": "opción plausible óptima de Pareto",
    "optimal_one_rules": "opción permitida óptima de Pareto",
    "optimal_one_plausible_rules": "opción plausible y permitida óptima de Pareto",
    "optimal_many": "opciones óptimas de Pareto",
    "optimal_many_plausible": "opciones plausibles óptimas de Pareto",
    "optimal_many_rules": "opciones permitidas óptimas de Pareto",
    "optimal_many_plausible_rules": "opciones plausibles y permitidas óptimas de Pareto",
    "up_to_equals": ", salvo opciones de igual coste",
    "proven_all": "Demostrado: estas son todas las {kind} entre {space}{equal}; {work}.",
    "proven_only": "Demostrado: esta es la única {kind} entre {space}{equal}; {work}.",
    "proven_none": (
        "Demostrado: en esta cuadrícula, ninguna de {space} lleva {clearly}a la decisión deseada; {work}."
    ),
    "proven_none_plausible": (
        "Demostrado: en esta cuadrícula, ninguna de {space} lleva {clearly}a la decisión deseada y sigue "
        "siendo plausible; {work}."
    ),
    "proven_none_rules": (
        "Demostrado: en esta cuadrícula, ninguna de {space} lleva {clearly}a la decisión deseada y respeta "
        "las reglas; {work}."
    ),
    "proven_none_plausible_rules": (
        "Demostrado: en esta cuadrícula, ninguna de {space} lleva {clearly}a la decisión deseada, sigue "
        "siendo plausible y respeta las reglas; {work}."
    ),
    "proven_sole_some": "Demostrado: esta es la única combinación posible{limit}; {work}.",
    "proven_sole_none": (
        "Demostrado: en esta cuadrícula, la única combinación posible{limit} no hace lo que tendría que "
        "hacer, que es {to_lead}; {work}."
    ),
    "proof_of_exact": (
        "La prueba y los costes tratan de los valores exactos; algunos valores mostrados están redondeados."
    ),
    "proven_nothing_moves": "Demostrado: en esta cuadrícula nada puede cambiar, así que no hay opción.",
    # On which grid, for an officer.
    "on_given": "La cuadrícula es la que se indicó.",
    "on_given_steps": "La cuadrícula es la que se indicó: {steps}.",
    "on_inferred": (
        "La cuadrícula se dedujo de los datos, con valores junto a los umbrales del modelo donde estos se "
        "conocen."
    ),
    "on_inferred_steps": (
        "La cuadrícula se dedujo de los datos ({steps}), con valores junto a los umbrales del modelo donde "
        "estos se conocen."
    ),
    "on_finest": (
        "La cuadrícula habitual no contenía ninguna opción; por eso, aquí se trata de la más fina que los "
        "datos permiten: donde los valores no se indicaron, todos los valores de los datos (si son "
        "muchísimos, una selección uniforme) y los que están junto a los umbrales conocidos del modelo y del "
        "detector."
    ),
    "on_finest_steps": (
        "La cuadrícula habitual ({steps}) no contenía ninguna opción; por eso, aquí se trata de la más fina "
        "que los datos permiten: donde los valores no se indicaron, todos los valores de los datos (si son "
        "muchísimos, una selección uniforme) y los que están junto a los umbrales conocidos del modelo y del "
        "detector."
    ),
    "on_finest_open": (
        "También se examinó la cuadrícula más fina que los datos permiten, pero no hasta el final: puede "
        "haber una opción en ella."
    ),
    "steps_equal": "{name} en pasos de {step}",
    "steps_equal_share": "{name} en pasos del {step}",
    "steps_between": "{name} en pasos de {least} a {most}",
    "steps_between_share": "{name} en pasos del {least} al {most}",
    "steps_more_one": "{count} característica más",
    "steps_more_many": "{count} características más",
    "examined_one": "{count} región examinada",
    "examined_many": "{count} regiones examinadas",
    "evaluated_one": "{count} evaluada",
    "evaluated_many": "{count} evaluadas",
    "evaluated_none": "no hizo falta evaluar ninguna",
    "confirmed_one": "{work}, {count} punto confirmado por el propio modelo",
    "confirmed_many": "{work}, {count} puntos confirmados por el propio modelo",
    "confirmed_models_one": "{work}, {count} punto confirmado por {all}",
    "confirmed_models_many": "{work}, {count} puntos confirmados por {all}",
    "unproven": "No demostrado: {held}; {space}, {work}.",
    "unproven_contradiction": (
        "No demostrado: el modelo o el detector contradice su representación interna, por lo que {held}; "
        "{space}, {work}."
    ),
    "unproven_doubt": (
        "No demostrado: el redondeo dejó demasiados puntos en duda, por lo que {held}; {space}, {work}."
    ),
    "unproven_misprint": (
        "No demostrado: el algoritmo se ejecutó tal como está impreso en el artículo, con sus erratas, por "
        "lo que {held}; {space}, {work}."
    ),
    "unproven_estimate": (
        "No demostrado: una estimación acortó la búsqueda, por lo que {held}; {misses}; {space}, {work}."
    ),
    "better_may_exist": "puede haber opciones mejores",
    "some_may_exist": "todavía puede haber opciones",
    "misses_unknown": "no se conoce su tasa de omisión",
    "misses_one": (
        "calibrada con {count} persona, se espera que omita opciones para el {share} de los "
        "solicitantes rechazados como máximo"
    ),
    "misses_many": (
        "calibrada con {count} personas, se espera que omita opciones para el {share} de los "
        "solicitantes rechazados como máximo"
    ),
    "stopped": "No demostrado: la búsqueda se detuvo antes de terminar, {held}; {left}.",
    "stopped_unsure": (
        "No demostrado: la búsqueda se detuvo antes de terminar, {held}; {left}, y una estimación "
        "podó otras sin prueba."
    ),
    "best_so_far": "las opciones son las mejores encontradas hasta ahora",
    "none_so_far": "no se encontró ninguna opción hasta ahora",
    "open_one": "{count} región entre {space} sigue abierta",
    "open_many": "{count} regiones entre {space} siguen abiertas",
    "open_at_best": "{left} (en el mejor de los casos: {costs})",
    "cost_of": "{objective} {cost}",
    "rules_kept": "Reglas que todas las opciones respetan: {rules}.",
    "rules_checked": "Revisado en cada candidata, sin acortar la búsqueda: {rules}.",
    "favourable": "No hace falta ningún cambio: el modelo ya acepta a este solicitante.",
    "failed": "Sin explicación: {message}",
    "failed_silently": "Sin explicación: no se pudo explicar esta fila.",
    "no_certificate": ("No hay certificado, así que nada se afirma más allá de las opciones mismas."),
    # The same for the applicant.
    "you_rejected": "Actualmente, el modelo rechaza su solicitud.",
    "you_rejected_margin": "Actualmente, el modelo no acepta su solicitud con suficiente claridad.",
    "you_rejected_models": "Actualmente, al menos uno de {models} modelos rechaza su solicitud.",
    "you_rejected_models_margin": (
        "Actualmente, al menos uno de {models} modelos no acepta su solicitud con suficiente claridad."
    ),
    "you_rejected_class": "Actualmente, el modelo no predice {target} para usted.",
    "you_rejected_range": "Actualmente, la predicción del modelo para usted no queda {range}.",
    "you_predicted": "El modelo predice {prediction} para usted; debe quedar {range}.",
    "you_accepted": "El modelo ya acepta su solicitud.",
    "you_can_one": "Esta opción lo cambiaría:",
    "you_can_many": "Usted puede elegir una de estas {count} opciones:",
    "you_can_few": "Usted puede elegir una de estas {count} opciones, escogidas por ser distintas entre sí:",
    "you_cannot": "No encontramos ninguna opción que lo cambie.",
    "your_option": "{todo}.",
    "your_option_best": "{todo} – {best}.",
    "more_one": "Se encontró {count} opción más.",
    "more_many": "Se encontraron {count} opciones más.",
    "all_are_huge": "combinaciones posibles{limit} (un número de {digits} cifras)",
    "clearly": "con suficiente claridad ",
    "leads": "lleva {clearly}a la decisión deseada",
    "leads_plausible": "lleva {clearly}a la decisión deseada y es realista",
    "leads_rules": "lleva {clearly}a la decisión deseada y respeta las reglas",
    "leads_plausible_rules": "lleva {clearly}a la decisión deseada, es realista y respeta las reglas",
    "one_that_leads": "combinación que lleva {clearly}a la decisión deseada",
    "one_that_leads_plausible": "combinación realista que lleva {clearly}a la decisión deseada",
    "one_that_leads_rules": "combinación permitida que lleva {clearly}a la decisión deseada",
    "one_that_leads_plausible_rules": (
        "combinación realista y permitida que lleva {clearly}a la decisión deseada"
    ),
    "to_lead": "llevar {clearly}a la decisión deseada",
    "to_lead_plausible": "llevar {clearly}a la decisión deseada y ser realista",
    "to_lead_rules": "llevar {clearly}a la decisión deseada y respetar las reglas",
    "to_lead_plausible_rules": "llevar {clearly}a la decisión deseada, ser realista y respetar las reglas",
    "your_proof_all": (
        "Está demostrado que no hay una opción más fácil: de las {space}, toda {one} exige al menos tanto "
        "esfuerzo como una de las {count} opciones (medido por {objectives})."
    ),
    "your_proof_only": (
        "Está demostrado que no hay una opción más fácil: de las {space}, toda {one} exige al menos tanto "
        "esfuerzo como esta (medido por {objectives})."
    ),
    "your_proof_none": "Está demostrado que ninguna de las {space} {leads}.",
    "your_proof_sole_some": "Está demostrado que no hay otra opción: este es el único cambio posible.",
    "your_proof_sole_none": "Está demostrado que el único cambio posible no basta.",
    "your_proof_sole_none_if": (
        "Está demostrado que el único cambio posible no hace lo que tendría que hacer: {to_lead}."
    ),
    "your_proof_of_exact": (
        "La prueba trata de los valores exactos. Donde un valor se muestra redondeado, el redondeado se "
        "comprobó y también se acepta."
    ),
    "your_proof_nothing_moves": (
        "Está demostrado que no hay opción, pues no hay nada que se le pueda aconsejar cambiar."
    ),
    "your_grid": "Esto vale para los valores que se probaron.",
    "your_grid_steps": "Esto vale para los valores que se probaron: {steps}.",
    "your_grid_open": (
        "Esto vale para los valores que se probaron; también se probaron valores más próximos entre sí, pero "
        "no todos."
    ),
    "your_grid_open_steps": (
        "Esto vale para los valores que se probaron: {steps}; también se probaron valores más próximos entre "
        "sí, pero no todos."
    ),
    "your_grid_finest": (
        "Esto vale para los valores que se probaron, tan próximos entre sí como los datos y los pasos "
        "indicados permiten."
    ),
    "your_grid_finest_some": (
        "Se probaron valores más próximos entre sí que de costumbre, pues con los habituales no había "
        "ninguna opción."
    ),
    "your_unproven_some": (
        "No está demostrado que esta lista esté completa, y puede haber opciones más fáciles: {because}."
    ),
    "your_unproven_none": "No está demostrado que no haya opción; todavía puede existir alguna: {because}.",
    "because_stopped": "la búsqueda se detuvo antes de terminar",
    "because_contradiction": "el modelo contradijo lo que habíamos calculado a partir de él",
    "because_doubt": "algunos casos límite no pudieron resolverse",
    "because_misprint": "la búsqueda siguió un método tal como se imprimió, con sus erratas",
    "because_unknown": "la búsqueda no tiene prueba",
    "because_estimate": "una estimación acortó la búsqueda, y no se conoce su tasa de omisión",
    "because_estimate_rate": (
        "una estimación acortó la búsqueda, y se espera que omita opciones para el {share} de los "
        "solicitantes rechazados como máximo"
    ),
    "your_options_work_one": "La opción se comprobó con el propio modelo.",
    "your_options_work_many": "Cada opción se comprobó con el propio modelo.",
    "your_no_certificate": "Nada se afirma sobre otras opciones.",
    "your_favourable": "No tiene que cambiar nada.",
    "your_failed": "No pudimos calcular una explicación para usted. El motivo es: {message}",
    "your_failed_silently": "No pudimos calcular una explicación para usted.",
    "no_promise": "Esto explica cómo decide un modelo; no es una promesa de lo que se decidirá.",
    # Why there is no option.
    "relaxations": "Hay una opción si se relajan restricciones (probadas: {considered}):",
    "relaxation": "Sin {restrictions}: {todo}.",
    "relaxation_unproven": (
        "Sin {restrictions}: {todo} (puede haber un conjunto menor o una opción más barata)."
    ),
    "no_relaxation": (
        "Incluso sin ninguna de las restricciones probadas ({considered}), no hay ninguna opción entre "
        "los valores que se probaron."
    ),
    "no_relaxation_found": "No se encontró ninguna opción al relajar restricciones (probadas: {considered}).",
    "relaxations_complete": (
        "Esta lista está completa: una relajación menor no da ninguna opción entre los valores que se "
        "probaron."
    ),
    "relaxations_incomplete": "Esta lista puede no estar completa.",
    "undecided": "Límite de tiempo alcanzado antes de un resultado: sin {restrictions}.",
    "restriction_changes": "el límite {text}",
    "restriction_direction": "la dirección {text}",
    "restriction_range": "el rango {text}",
    "restriction_missing": "la restricción {text}",
    "restriction_rule": "la regla {text}",
    "restriction_plausibility": "la exigencia de que las opciones sean realistas",
    # Rules and restrictions between features.
    "in_english": "{text} (en inglés, tal como se escribió)",
    "rule_up": "{name} solo aumenta",
    "rule_down": "{name} solo disminuye",
    "rule_most": "cambios a la vez: {most} como máximo (pasaría a {more})",
    "rule_missing": "{name} sigue sin valor",
    "rule_within": (
        "{name} de {low} a {high} (pasaría a ir de {lower} a {higher}, hasta donde llegan los datos)"
    ),
    "rule_moves": "{name} cambia tanto como {driver}",
    "rule_moves_times": "{name} cambia {ratio} veces lo que cambia {driver}",
    "rule_exclusive": "como máximo uno de estos cambia: {names}",
    "rule_nonzero": "como máximo uno de estos es distinto de 0: {names}",
    "rule_together": "{names} cambian en conjunto o no cambian",
    "rule_choices": "{name} es solo uno de estos: {listed}",
    "rule_never": "{name} nunca cambia así: {transitions}",
    "rule_only": "{name} cambia solo así: {transitions}",
    "rule_level": "{name} es uno de estos: {names}",
    "rule_level_none": "{name} es uno de estos o ninguno: {names}",
    "rule_if": "si {condition}, entonces {consequence}",
    "when_changes": "{name} cambia",
    "when_most": "{name} es como máximo {high}",
    "when_least": "{name} es como mínimo {low}",
    "when_between": "{name} va de {low} a {high}",
    "when_one_of": "{name} es uno de estos: {values}",
    "when_is": "{name} es {value}",
    "candidates_steps": "{count}: de {low} a {high}, cada {step}",
    "candidates_between": "{count}: de {low} a {high}, en pasos de {least} a {most}",
    "candidates_list": "{count}: {values}",
    "candidates_go_missing": "{candidates}; puede quedar sin valor",
    "candidates_stay_missing": "{candidates}; sin valor sigue así",
    "candidates_stay_special": "{candidates}; valores especiales que se mantienen: {values}",
    "candidates_leave_special": "{candidates}; valores especiales que se pueden dejar: {values}",
}
