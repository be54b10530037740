"""Label reports in Spanish."""

LABELS = {
    # The head of the page.
    "above": "Informe sobre una decisión",
    "above_auditor": "Explicación contrafactual",
    "above_many": "Informe sobre varias decisiones",
    "title_options_person": "Lo que usted podría cambiar",
    "title_options": "Lo que esta persona podría cambiar",
    "title_favourable_person": "Nada tiene que cambiar",
    "title_favourable": "Nada tiene que cambiar",
    "title_none_person": "No se halló ningún camino",
    "title_none": "No se halló ningún camino para esta persona",
    "title_error": "No fue posible explicar esta decisión",
    "title_many": "Opciones para {count} personas",
    "status_OPTIMAL": "demostrado: nada es más fácil",
    "status_NO_RECOURSE": "demostrado: sin opción",
    "status_HEURISTIC": "sin demostrar",
    "status_TIME_LIMIT": "interrumpido antes del fin",
    "status_ALREADY_FAVOURABLE": "ya aceptado",
    "status_ERROR": "sin explicación posible",
    # Options.
    "nothing_easier": "nada es más fácil",
    "options_heading": "Opciones",
    "picked": "{count} opciones en total; las que no aparecen aquí están en la lista de abajo.",
    "option": "Opción {number}",
    "col_option": "Opción",
    "col_feature": "Qué",
    "col_from": "Hoy",
    "col_to": "Después",
    "changes_caption": "Lo que cambia con la opción {number}",
    "col_do": "Qué hacer",
    "col_plausibility": "Plausibilidad",
    "result_score": "Puntuación",
    "result_lead": "Ventaja",
    "result_prediction": "Predicción",
    "result_probability": "Probabilidad",
    "today_is": "{new} (hoy {old})",
    "others_one": "Otra opción",
    "others_many": "Otras {count} opciones",
    "others_caption": "Las demás opciones, la más barata primero",
    "others_left_one": "{count} opción más no se muestra aquí.",
    "others_left_many": "{count} opciones más no se muestran aquí.",
    "least_cost": "el menor de todos",
    "times_least": "{factor} veces el menor",
    "cost_and_least": "{cost} (el menor de todos)",
    # Drawings.
    "changes_heading": "Las opciones frente a otras personas",
    "changes_figure": (
        "Gris: cómo se reparten {count} personas. Línea discontinua o anillo: hoy. Numeradas: las "
        "opciones de arriba."
    ),
    "changes_figure_plain": "Línea discontinua o anillo: hoy. Numeradas: las opciones de arriba.",
    "drawn_change": "{name}: hoy {old}; {options}",
    "drawn_option": "opción {number}: {new}",
    "today_value": "hoy {value}",
    "today": "hoy",
    "front_heading": "Cómo se comparan las opciones",
    "front_figure": (
        "Cada punto es una opción; más a la izquierda y más abajo es mejor. Ninguna es superada en todo "
        "por otra."
    ),
    "front_lines": (
        "Cada línea es una opción, con su coste en cada escala; más a la izquierda es mejor. Ninguna es "
        "superada en todo por otra."
    ),
    "front_title": "Costes de las opciones: {objectives}",
    "front_point": "opción {number}: {costs}",
    # What was proven.
    "proof_heading": "Lo que se demostró",
    "proof_heading_person": "¿Qué tan seguro es esto?",
    "proof_heading_auditor": "Certificado",
    "proof_numbers": "Los números detrás de esto",
    "cert_status": "Estado",
    "cert_proven": "Demostrado",
    "cert_unproven_because": "Sin demostrar a causa de",
    "cert_method": "Método",
    "cert_model_family": "Modelo",
    "cert_detector_family": "Detector de plausibilidad",
    "cert_bound": "Cota",
    "cert_cells": "Combinaciones posibles",
    "cert_axes": "Características que pueden cambiar para esta persona",
    "cert_max_changes": "Máximo de cambios a la vez",
    "cert_ties": "Opciones de igual coste, todas listadas",
    "cert_boxes": "Regiones examinadas",
    "cert_scored": "Combinaciones evaluadas una a una",
    "cert_dropped": "Regiones descartadas: {rule}",
    "cert_verified": "Puntos confirmados por el propio modelo",
    "cert_discrepancies": "Puntos en los que discrepó",
    "cert_miss_rate": "Parte de las personas para quienes la estimación puede omitir opciones",
    "cert_sample_size": "Personas usadas en la calibración",
    "cert_explainer": "Atribuciones por",
    "cert_residual": "Estimación ensanchada en",
    "cert_open_boxes": "Regiones aún abiertas",
    "cert_open_costs": "Lo mínimo que podría costar una región abierta: {objective}",
    "cert_digits": "Cifras significativas con que se comparan los costes",
    "cert_rules": "Regla respetada",
    "cert_checked_rules": "Regla comprobada en los candidatos",
    "yes": "sí",
    "no": "no",
    # Why there is no option.
    "why_heading": "Qué lo impide",
    # The policy.
    "policy_heading": "Lo que podía cambiar",
    "policy_heading_auditor": "Política aplicada",
    "policy_fold": "Característica por característica",
    "policy_caption": "Lo que puede hacer cada característica",
    "col_may_move": "Puede cambiar",
    "col_candidates": "Candidatos",
    "moves_up": "solo hacia arriba",
    "moves_down": "solo hacia abajo",
    "moves_either": "en ambos sentidos",
    "moves_category": "a otros valores",
    "moves_along": "solo junto con otra característica",
    "moves_fixed": "no, queda como está",
    "moves_protected": "nunca: protegida",
    "protected": "Nunca se aconseja, por estar protegido: {names}.",
    "fixed": "Se mantiene como está: {names}.",
    "free": "Puede cambiar dentro de límites: {names}.",
    "along": "Cambian solo junto con otras: {names}.",
    "and_more": "{count} más",
    "rules_heading": "Reglas entre características:",
    "yaml": "La política como archivo",
    # What a counterfactual is not.
    "not_heading": "Lo que esto no es",
    "not_text": (
        "No es una promesa. Dice cómo decide esta versión de este modelo si cambian estos valores y todos"
        " los demás quedan como están. Otra versión, otros datos o una persona pueden decidir de otro "
        "modo, y lo que cambia una puntuación no es necesariamente la causa de un resultado."
    ),
    # The footer.
    "footer_versions": "Versiones",
    "footer_hashes": "SHA-256 ({what})",
    "footer_settings": "Ajustes",
    "footer_people": "Personas en los datos de referencia",
    "hash_model": "modelo",
    "hash_reference": "datos de referencia",
    "hash_policy": "política",
    "footer_unknown": "No se guardó nada sobre versiones y política.",
    # Many people.
    "summary_heading": "En total",
    "col_status": "Cómo terminó",
    "col_people": "Personas",
    "col_share": "Parte",
    "summary_caption": "Cómo terminó la búsqueda",
    "percent": "{number} %",
    "costs_heading": "Lo que cuestan las opciones más baratas",
    "costs_figure": "Personas según el coste de su opción más barata ({objective}).",
    "costs_table": "Personas por coste",
    "col_cost": "Coste",
    "levers_heading": "Lo que cambia con más frecuencia",
    "levers_figure": (
        "Parte de las personas con opción para quienes cambia cada una: oscuro en la opción más barata, "
        "claro en cualquiera de sus opciones."
    ),
    "levers_table": (
        "Parte de las personas con opción para quienes cambia cada una: en la opción más barata "
        "(en cualquier opción)."
    ),
    "col_lever": "Característica",
    "people_heading": "Todas las personas",
    "people_caption": "Una fila por persona",
    "col_person": "Persona",
    "col_options": "Opciones",
    "col_today": "Hoy",
    "col_cheapest": "Opción más barata",
    "col_cheapest_in": "Opción más barata ({objective})",
    "search": "Buscar en esta tabla",
    "search_none": "Ninguna fila coincide.",
    "person": "Persona {label}",
    "sections_heading": "Persona por persona",
    "sections_cut": (
        "Secciones completas solo para las primeras {shown} de {count} personas, para que este archivo "
        "sea pequeño. La tabla de arriba tiene una fila para cada una."
    ),
    "nobody": "No se preguntó por nadie.",
    "none": "–",
}
