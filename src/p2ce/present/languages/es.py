"""Say everything in Spanish."""

WORDS = {
    # Values and numbers.
    "yes": "sí",
    "no": "no",
    "missing": "ausente",
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
    "fill_in": "complete {name} (hoy sin valor) con {new}",
    "leave_out": "deje {name} sin valor (hoy {old})",
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
    "balanced": "equilibrada",
    "different": "distinta de las demás",
    "only": "la única opción",
    # What a prediction must be; after "debe quedar".
    "range_between": "entre {low} y {high}",
    "range_from": "en {low} o más",
    "range_to": "en {high} o menos",
    "range_any": "en cualquier número",
    "range_margin": "{range}, a {margin} o más de los extremos",
    # Where somebody stands, as an officer reads it.
    "probability_of": "La probabilidad de {target}",
    "probability_of_models": "La probabilidad de {target}, según el más exigente de {models} modelos,",
    "decision_for": "La puntuación de decisión para {target}",
    "decision_for_models": (
        "La puntuación de decisión para {target}, según el más exigente de {models} modelos,"
    ),
    "must_reach": "{what} es {score} y debe llegar a {threshold}.",
    "has_reached": "{what} es {score}, y con {threshold} basta.",
    "prediction_must": "La predicción es {prediction} y debe quedar {range}.",
    "prediction_has": "La predicción es {prediction}; debe quedar {range}, y así es.",
    "unknown_must_inside": (
        "La predicción debe quedar {range}; hoy está {distance} hacia dentro, lo que no basta."
    ),
    "unknown_must_outside": "La predicción debe quedar {range}; hoy está {distance} hacia fuera.",
    "unknown_has": "La predicción debe quedar {range}, y así es.",
    "class_must": "La clase {target} debe ganar y está {lead}.",
    "class_must_margin": "La clase {target} debe ganar por {margin} y está {lead}.",
    "class_has": "La clase {target} ya gana: está {lead}.",
    "lead_with_chance": "{lead} (su probabilidad es {probability})",
    "ahead": "{number} por delante",
    "behind": "{number} por detrás",
    "level_enough": "empatada, lo que basta",
    "level_short": "empatada, lo que no basta",
    "models_stand": "De {models} modelos, el más exigente está {beyond}.",
    "models_stand_range": (
        "De {models} modelos, cuyas predicciones deben quedar {range}, el más exigente está {beyond}."
    ),
    "above": "{number} por encima de su umbral",
    "below": "{number} por debajo de su umbral",
    "found_one": "Hay {count} opción que lo logra:",
    "found_many": "Hay {count} opciones que lo logran:",
    "found_none": "No se encontró ninguna opción.",
    # What an option gives, as an officer reads it.
    "option": "{todo}. {result}.",
    "option_best": "{todo}. {result} ({best}).",
    "gives": "El resultado es {score}",
    "then_inside": "La predicción queda entonces {distance} hacia dentro",
    "then_outside": "La predicción queda entonces {distance} hacia fuera",
    "then_leads": "La clase queda entonces {lead}",
    "then_leads_chance": "La clase queda entonces {lead}, con una probabilidad de {probability}",
    "then_models": "Todos los modelos quedan entonces al menos {beyond}",
    # What was proven, as an officer reads it.
    "space_one": "{count} combinación posible{limit}",
    "space_many": "{count} combinaciones posibles{limit}",
    "limit_one": " con {count} cambio como máximo",
    "limit_many": " con {count} cambios como máximo",
    "proven_all": "Demostrado: estas son todas las opciones óptimas de Pareto entre {space}; {work}.",
    "proven_all_plausible": (
        "Demostrado: estas son todas las opciones plausibles óptimas de Pareto entre {space}; {work}."
    ),
    "proven_only": "Demostrado: esta es la única opción óptima de Pareto entre {space}; {work}.",
    "proven_only_plausible": (
        "Demostrado: esta es la única opción plausible óptima de Pareto entre {space}; {work}."
    ),
    "proven_none": "Demostrado: ninguna de {space} lleva a la decisión deseada; {work}.",
    "proven_none_plausible": (
        "Demostrado: ninguna de {space} lleva a la decisión deseada y sigue siendo plausible; {work}."
    ),
    "proven_nothing_moves": "Demostrado: nada puede cambiar, así que nada puede ayudar.",
    "examined_one": "{count} región examinada",
    "examined_many": "{count} regiones examinadas",
    "asked_one": "{count} de ellas consultada al modelo",
    "asked_many": "{count} de ellas consultadas al modelo",
    "confirmed_one": "{work}, {count} punto confirmado por el propio modelo",
    "confirmed_many": "{work}, {count} puntos confirmados por el propio modelo",
    "confirmed_models_one": "{work}, {count} punto confirmado por los {models} modelos",
    "confirmed_models_many": "{work}, {count} puntos confirmados por los {models} modelos",
    "unproven": "No demostrado: {held}; {space}, {work}.",
    "unproven_contradiction": (
        "No demostrado: el modelo o el detector contradice lo que se leyó de él, por lo que {held}; "
        "{space}, {work}."
    ),
    "unproven_doubt": (
        "No demostrado: el redondeo dejó demasiados puntos en duda, por lo que {held}; {space}, {work}."
    ),
    "unproven_estimate": (
        "No demostrado: una estimación acortó la búsqueda, por lo que {held}; {misses}; {space}, {work}."
    ),
    "better_may_exist": "puede haber opciones mejores",
    "some_may_exist": "todavía puede haber opciones",
    "misses_unknown": "no se sabe con qué frecuencia pasa por alto alguna",
    "misses_one": (
        "calibrada con {count} persona, se espera que pase por alto alguna para no más del {share} de las "
        "personas rechazadas"
    ),
    "misses_many": (
        "calibrada con {count} personas, se espera que pase por alto alguna para no más del {share} de las "
        "personas rechazadas"
    ),
    "stopped": "No demostrado: la búsqueda se detuvo antes de terminar, {held}; {left}.",
    "stopped_unsure": (
        "No demostrado: la búsqueda se detuvo antes de terminar, {held}; {left}, y una estimación descartó "
        "otras sin prueba."
    ),
    "best_so_far": "las opciones son las mejores encontradas hasta ahora",
    "none_so_far": "no se encontró ninguna opción hasta ahora",
    "open_one": "{count} región entre {space} sigue abierta",
    "open_many": "{count} regiones entre {space} siguen abiertas",
    "open_at_best": "{left} (en el mejor de los casos: {costs})",
    "cost_of": "{objective} {cost}",
    "rules_kept": "Se dejaron fuera las combinaciones que incumplen una regla: {rules}.",
    "rules_checked": "Revisado en cada candidata, sin acortar la búsqueda: {rules}.",
    "favourable": "No hace falta cambiar nada: el modelo ya decide a favor de esta persona.",
    "failed": "Sin respuesta: {message}",
    "failed_silently": "Sin respuesta: no se pudo explicar esta fila.",
    "no_certificate": (
        "No se guardó ningún certificado, así que nada se afirma más allá de las opciones mismas."
    ),
    # The same for the person concerned.
    "you_refused": "Tal como están las cosas, el modelo no decide a su favor.",
    "you_refused_models": "Tal como están las cosas, alguno de los {models} modelos no decide a su favor.",
    "you_refused_class": "Tal como están las cosas, el modelo no decide por {target}.",
    "you_refused_range": "Tal como están las cosas, la predicción del modelo para usted no queda {range}.",
    "you_predicted": "El modelo predice {prediction} para usted; lo deseado es que quede {range}.",
    "you_accepted": "El modelo ya decide a su favor.",
    "you_can_one": "Hay una manera de cambiarlo:",
    "you_can_many": "Usted puede elegir una de estas {count} opciones:",
    "you_can_few": "Usted puede elegir una de estas {count} opciones, escogidas por ser distintas entre sí:",
    "you_cannot": "No encontramos nada que usted pudiera cambiar para revertirlo.",
    "your_option": "{todo}.",
    "your_option_best": "{todo} – {best}.",
    "more_one": "Existe {count} opción más.",
    "more_many": "Existen {count} opciones más.",
    "all_are_huge": "combinaciones posibles{limit} (un número de {digits} cifras)",
    "leads": "lleva a la decisión deseada",
    "leads_plausible": "lleva a la decisión deseada y es realista",
    "leads_rules": "lleva a la decisión deseada y respeta las reglas",
    "leads_plausible_rules": "lleva a la decisión deseada, es realista y respeta las reglas",
    "one_that_leads": "combinación que lleva a la decisión deseada",
    "one_that_leads_plausible": "combinación realista que lleva a la decisión deseada",
    "one_that_leads_rules": "combinación permitida que lleva a la decisión deseada",
    "one_that_leads_plausible_rules": "combinación realista y permitida que lleva a la decisión deseada",
    "your_proof_all": (
        "Está demostrado que no hay un camino más fácil: de las {space}, toda {one} le exige a usted al "
        "menos tanto como una de las {count} opciones (medido por {objectives})."
    ),
    "your_proof_only": (
        "Está demostrado que no hay un camino más fácil: de las {space}, toda {one} le exige a usted al "
        "menos tanto como esta (medido por {objectives})."
    ),
    "your_proof_none": "Está demostrado que ninguna de las {space} {leads}.",
    "your_proof_sole_some": "Está demostrado que no hay otro camino: este es el único cambio posible.",
    "your_proof_sole_none": "Está demostrado que el único cambio posible no basta.",
    "your_proof_nothing_moves": (
        "Está demostrado que nada puede ayudar, pues no hay nada que se le pueda pedir que cambie."
    ),
    "your_unproven_some": (
        "No está demostrado que esta lista esté completa, y puede haber opciones más fáciles: {because}."
    ),
    "your_unproven_none": ("No está demostrado que no haya opción; todavía puede existir alguna: {because}."),
    "because_stopped": "la búsqueda se detuvo antes de terminar",
    "because_contradiction": "el modelo no respondió como lo habíamos leído",
    "because_doubt": "algunos casos límite no pudieron resolverse",
    "because_unknown": "la búsqueda no se apoya en una prueba",
    "because_estimate": (
        "una estimación acortó la búsqueda, y no se sabe con qué frecuencia pasa por alto alguna"
    ),
    "because_estimate_rate": (
        "una estimación acortó la búsqueda, y se espera que pase por alto alguna para no más del {share} de "
        "las personas rechazadas"
    ),
    "your_options_work_one": "La opción se comprobó con el propio modelo.",
    "your_options_work_many": "Cada opción se comprobó con el propio modelo.",
    "your_no_certificate": "Nada se afirma sobre otras opciones.",
    "your_favourable": "No tiene que cambiar nada.",
    "your_failed": "No pudimos llegar a una respuesta para usted. El motivo indicado es: {message}",
    "your_failed_silently": "No pudimos llegar a una respuesta para usted.",
    "no_promise": "Esto explica cómo decide un modelo; no es una promesa de lo que se decidirá.",
    # Why there is no option.
    "ways": "Se abriría un camino si se quitaran restricciones (probadas: {considered}):",
    "way": "Sin {restrictions}: {todo}.",
    "way_unproven": "Sin {restrictions}: {todo} (puede haber un conjunto menor o un camino más barato).",
    "no_way": "Incluso sin ninguna de las restricciones probadas ({considered}), no habría ninguna opción.",
    "no_way_found": "No se encontró ningún camino al quitar restricciones (probadas: {considered}).",
    "ways_complete": "Esta lista está completa: quitar menos que eso no abre ningún camino.",
    "ways_incomplete": "Esta lista puede no estar completa.",
    "undecided": "No resuelto a tiempo: sin {restrictions}.",
    "restriction_changes": "el límite {text}",
    "restriction_direction": "la dirección {text}",
    "restriction_range": "el rango {text}",
    "restriction_missing": "la restricción {text}",
    "restriction_rule": "la regla {text}",
    "restriction_plausibility": "la exigencia de que las opciones sean realistas",
    # What an auditor checks.
    "line": "{label}: {value}",
    "label_status": "Estado",
    "label_target": "Objetivo buscado",
    "target_range": "predicción {range}",
    "label_scale": "Escala de la puntuación",
    "scale_probability": "probabilidad del objetivo buscado",
    "scale_decision": "función de decisión del modelo",
    "scale_lead": "ventaja: cuánto está lo deseado por delante, dentro de su rango o más allá de su umbral",
    "label_threshold": "Umbral que la puntuación debe alcanzar",
    "label_models": "Modelos que deben aceptar todos",
    "label_person": "Persona",
    "label_person_score": "Puntuación de la persona",
    "label_person_prediction": "Predicción para la persona",
    "label_message": "Mensaje",
    "label_objectives": "Criterios",
    "label_options": "Opciones",
    "label_costs": "costes",
    "label_score": "puntuación",
    "label_prediction": "predicción",
    "label_plausibility": "plausibilidad (0 o más es plausible)",
    "label_told": "dicho a las personas como",
    "label_best": "mejor en",
    "moves_along": "{change} (cambia con otra, no se aconseja)",
    "label_method": "Método",
    "label_model": "Familia del modelo",
    "label_bound": "Cota",
    "label_detector": "Detector de plausibilidad",
    "no_detector": "no solicitado",
    "label_cells": "Celdas de la cuadrícula al alcance",
    "label_axes": "Variables que pueden cambiar",
    "label_max_changes": "Máximo de cambios a la vez",
    "no_limit": "sin límite",
    "label_boxes": "Regiones examinadas",
    "label_scored": "Celdas puntuadas una a una",
    "label_dropped": "Regiones descartadas, por regla",
    "dropped_dominated": "dominadas",
    "dropped_too_many_changes": "demasiados cambios",
    "dropped_model_bound": "cota del modelo",
    "dropped_plausibility_bound": "cota de plausibilidad",
    "dropped_rules": "reglas",
    "dropped_estimate": "estimación",
    "label_verified": "Puntos confirmados por el propio modelo",
    "label_discrepancies": "Discrepancias entre el modelo y su lectura",
    "label_resolution": "Costes más próximos que esto cuentan como iguales",
    "label_open_boxes": "Regiones que quedaron abiertas",
    "label_open_costs": "Menor coste que podría tener una región abierta",
    "label_because": "Por qué no se afirma nada",
    "because_estimate_cut": "una estimación, y no una cota, acortó la búsqueda",
    "because_contradicted": "el modelo o el detector contradice lo que se leyó de él",
    "because_too_close": "el redondeo dejó demasiados puntos en duda",
    "label_estimate": "Estimación (sin certeza), atribuciones mediante",
    "label_residual": "Estimación (sin certeza), ampliada en",
    "label_miss_rate": (
        "Estimación (sin certeza), proporción de personas rechazadas a las que se les escapa alguna opción, "
        "como máximo"
    ),
    "label_sample": "Estimación (sin certeza), personas usadas en la calibración",
    "label_rules": "Reglas entre variables que acotaron la búsqueda",
    "label_checked_rules": "Reglas entre variables comprobadas en cada candidata",
    "label_asked_rules": "Reglas entre variables en la política",
    "label_protected": "Variables protegidas, nunca aconsejadas",
    "label_fixed": "Variables fijas, nunca aconsejadas",
    "label_along": "Variables que solo cambian con otras, nunca aconsejadas",
    "label_people": "Personas en la población de referencia",
    "label_versions": "Versiones",
    "label_hashes": "SHA-256",
    "label_settings": "Ajustes",
    "label_question": "Política, versiones y hashes",
    "not_recorded": "no registrado",
    "none": "ninguna",
}
