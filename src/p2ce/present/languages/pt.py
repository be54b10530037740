"""Say everything in Portuguese, as it is written in Brazil."""

WORDS = {
    # Values and numbers.
    "yes": "sim",
    "no": "não",
    "missing": "ausente",
    "no_level": "nenhum",
    "percent": "{number}%",
    "axis": "{name} ({unit})",
    "and": "{first} e {last}",
    "quoted": "“{text}”",
    "about": "cerca de {number}",
    # One change, in the imperative. A name comes with its article.
    "raise": "aumente {name} de {old} para {new}",
    "lower": "reduza {name} de {old} para {new}",
    "raise_share": "aumente {name} de {old} para {new}",
    "lower_share": "reduza {name} de {old} para {new}",
    "change": "mude {name} de {old} para {new}",
    "fill_in": "informe {name} (só se o valor verdadeiro for {new}; hoje sem valor)",
    "fill_in_share": "informe {name} (só se o valor verdadeiro for de {new}; hoje sem valor)",
    "leave_out": "deixe {name} sem informar (só se isso for permitido; hoje {old})",
    "change_nothing": "não mude nada",
    # What changes along with the advice; no advice itself.
    "along": "{advice} (o que leva {changes})",
    "along_part": "{name} de {old} para {new}",
    "along_part_share": "{name} de {old} para {new}",
    # Costs.
    "objective_mean_distance": "mudança total",
    "objective_max_distance": "maior mudança individual",
    "objective_changes": "número de mudanças",
    "objective_percentile_shift": "deslocamento em relação a outras pessoas",
    "objective_euclidean": "distância",
    # What an option is best at.
    "best_mean_distance": "menor mudança total",
    "best_max_distance": "menor mudança individual",
    "best_changes": "menos mudanças",
    "best_percentile_shift": "menor deslocamento em relação a outras pessoas",
    "best_euclidean": "menor distância",
    "best_other": "menor valor de {objective}",
    "balanced": "opção equilibrada",
    "different": "opção diferente das demais",
    "only": "a opção encontrada",
    # What a prediction must be; after "precisa ficar".
    "range_between": "entre {low} e {high}",
    "range_from": "em {low} ou mais",
    "range_to": "em {high} ou menos",
    "range_any": "em qualquer número",
    "range_margin": "{narrowed} ({range}, com margem de {margin})",
    # The current outcome, for an officer.
    "probability_of": "A probabilidade de {target}",
    "probability_of_models": "A probabilidade de {target}, segundo o mais rigoroso de {models} modelos,",
    "decision_for": "A pontuação de decisão para {target}",
    "decision_for_models": (
        "A pontuação de decisão para {target}, segundo o mais rigoroso de {models} modelos,"
    ),
    "must_reach": "{what} é {score} e precisa chegar a {threshold}.",
    "more_than": "mais de {number}",
    "with_margin": "{threshold} (com margem de {margin})",
    "has_reached": "{what} é {score}, e {threshold} já basta.",
    "prediction_must": "A previsão é {prediction} e precisa ficar {range}.",
    "prediction_has": "A previsão é {prediction}; precisa ficar {range}, e fica.",
    "unknown_must_inside": (
        "A previsão precisa ficar {range}; hoje está {distance} para dentro, o que não basta."
    ),
    "unknown_must_outside": "A previsão precisa ficar {range}; hoje está {distance} para fora.",
    "unknown_has": "A previsão precisa ficar {range}, e fica.",
    "class_must": "A classe {target} precisa vencer e está {lead}.",
    "class_has": "A classe {target} já vence: está {lead}.",
    "lead_with_chance": "{lead} (sua probabilidade é {probability})",
    "ahead": "{number} à frente",
    "behind": "{number} atrás",
    "level_enough": "empatada, o que basta",
    "level_short": "empatada, o que não basta",
    "models_stand": "De {models} modelos, o mais rigoroso está {beyond}.",
    "models_stand_range": (
        "As previsões de {all} precisam ficar {range}; a mais distante está {distance} para fora."
    ),
    "models_stand_inside": (
        "As previsões de {all} precisam ficar {range}; a mais próxima de um extremo "
        "está {distance} para dentro."
    ),
    "above": "{number} acima do seu limiar{margin}",
    "below": "{number} abaixo do seu limiar{margin}",
    "margin_included": " (com margem de {margin})",
    "all_two": "ambos os modelos",
    "all_more": "todos os {models} modelos",
    "found_one": "Foi encontrada {count} opção que consegue isso:",
    "found_many": "Foram encontradas {count} opções que conseguem isso:",
    "found_none": "Nenhuma opção foi encontrada.",
    # The outcome of an option, for an officer.
    "option": "{todo}. {result}.",
    "option_best": "{todo}. {result} ({best}).",
    "gives": "O resultado é {score}",
    "then_inside": "A previsão fica então {distance} para dentro",
    "then_outside": "A previsão fica então {distance} para fora",
    "then_leads": "A classe fica então {lead}",
    "then_leads_chance": "A classe fica então {lead}, com probabilidade de {probability}",
    "then_models": "{all} ficam então {number} ou mais acima dos seus limiares{margin}",
    "then_models_below": "O modelo mais rigoroso fica então {number} abaixo do seu limiar{margin}",
    "then_models_range": "As previsões de {all} ficam então {distance} ou mais para dentro",
    "then_models_outside": "A mais distante das previsões fica então {distance} para fora",
    # What is proven, for an officer.
    "space_one": "{count} combinação possível{limit}",
    "space_many": "{count} combinações possíveis{limit}",
    "limit_one": " com no máximo {count} mudança",
    "limit_many": " com no máximo {count} mudanças",
    "optimal_one": "opção ótima de Pareto",
    "optimal_one_plausible": "opção plausível ótima de Pareto",
    "optimal_one_rules": "opção permitida ótima de Pareto",
    "optimal_one_plausible_rules": "opção plausível e permitida ótima de Pareto",
    "optimal_many": "opções ótimas de Pareto",
    "optimal_many_plausible": "opções plausíveis ótimas de Pareto",
    "optimal_many_rules": "opções permitidas ótimas de Pareto",
    "optimal_many_plausible_rules": "opções plausíveis e permitidas ótimas de Pareto",
    "up_to_equals": ", a menos de opções de mesmo custo",
    "proven_all": "Comprovado: estas são todas as {kind} entre {space}{equal}; {work}.",
    "proven_only": "Comprovado: esta é a única {kind} entre {space}{equal}; {work}.",
    "proven_none": "Comprovado: nesta grade, nenhuma de {space} leva {clearly}à decisão desejada; {work}.",
    "proven_none_plausible": (
        "Comprovado: nesta grade, nenhuma de {space} leva {clearly}à decisão desejada e permanece plausível; "
        "{work}."
    ),
    "proven_none_rules": (
        "Comprovado: nesta grade, nenhuma de {space} leva {clearly}à decisão desejada e respeita as regras; "
        "{work}."
    ),
    "proven_none_plausible_rules": (
        "Comprovado: nesta grade, nenhuma de {space} leva {clearly}à decisão desejada, permanece plausível e "
        "respeita as regras; {work}."
    ),
    "proven_sole_some": "Comprovado: esta é a única combinação possível{limit}; {work}.",
    "proven_sole_none": (
        "Comprovado: nesta grade, a única combinação possível{limit} não faz o que teria de fazer, que é "
        "{to_lead}; {work}."
    ),
    "proof_of_exact": (
        "A prova e os custos tratam dos valores exatos; alguns valores mostrados aqui estão arredondados."
    ),
    "proven_nothing_moves": "Comprovado: nesta grade nada pode mudar, portanto não há opção.",
    # On which grid, for an officer.
    "on_given": "A grade é a que foi definida.",
    "on_given_steps": "A grade é a que foi definida: {steps}.",
    "on_inferred": (
        "A grade foi inferida dos dados, com valores junto aos limiares do modelo onde estes são conhecidos."
    ),
    "on_inferred_steps": (
        "A grade foi inferida dos dados ({steps}), com valores junto aos limiares do modelo onde estes são "
        "conhecidos."
    ),
    "on_finest": (
        "A grade habitual não continha nenhuma opção; por isso, trata-se aqui da grade mais fina que os "
        "dados permitem: onde os valores não foram definidos, todos os valores dos dados (se forem "
        "muitíssimos, uma seleção uniforme) e os que ficam junto aos limiares conhecidos do modelo e do "
        "detector."
    ),
    "on_finest_steps": (
        "A grade habitual ({steps}) não continha nenhuma opção; por isso, trata-se aqui da grade mais fina "
        "que os dados permitem: onde os valores não foram definidos, todos os valores dos dados (se forem "
        "muitíssimos, uma seleção uniforme) e os que ficam junto aos limiares conhecidos do modelo e do "
        "detector."
    ),
    "on_finest_open": (
        "A grade mais fina que os dados permitem também foi examinada, mas não até o fim: pode haver uma "
        "opção nela."
    ),
    "steps_equal": "{name} em passos de {step}",
    "steps_equal_share": "{name} em passos de {step}",
    "steps_between": "{name} em passos de {least} a {most}",
    "steps_between_share": "{name} em passos de {least} a {most}",
    "steps_more_one": "mais {count} atributo",
    "steps_more_many": "mais {count} atributos",
    "examined_one": "{count} região examinada",
    "examined_many": "{count} regiões examinadas",
    "evaluated_one": "{count} avaliada",
    "evaluated_many": "{count} avaliadas",
    "evaluated_none": "nenhuma precisou ser avaliada",
    "confirmed_one": "{work}, {count} ponto confirmado pelo próprio modelo",
    "confirmed_many": "{work}, {count} pontos confirmados pelo próprio modelo",
    "confirmed_models_one": "{work}, {count} ponto confirmado por {all}",
    "confirmed_models_many": "{work}, {count} pontos confirmados por {all}",
    "unproven": "Não comprovado: {held}; {space}, {work}.",
    "unproven_contradiction": (
        "Não comprovado: o modelo ou o detector contradiz sua representação interna, por isso {held}; "
        "{space}, {work}."
    ),
    "unproven_doubt": (
        "Não comprovado: o arredondamento deixou pontos demais em dúvida, por isso {held}; {space}, {work}."
    ),
    "unproven_misprint": (
        "Não comprovado: o algoritmo foi executado como está impresso no artigo, com os erros de impressão, "
        "por isso {held}; {space}, {work}."
    ),
    "unproven_estimate": (
        "Não comprovado: uma estimativa encurtou a busca, por isso {held}; {misses}; {space}, {work}."
    ),
    "better_may_exist": "pode haver opções melhores",
    "some_may_exist": "ainda pode haver opções",
    "misses_unknown": "não se conhece a sua taxa de omissão",
    "misses_one": (
        "calibrada com {count} pessoa, espera-se que omita opções para no máximo {share} dos "
        "solicitantes rejeitados"
    ),
    "misses_many": (
        "calibrada com {count} pessoas, espera-se que omita opções para no máximo {share} dos "
        "solicitantes rejeitados"
    ),
    "stopped": "Não comprovado: a busca foi interrompida antes do fim, {held}; {left}.",
    "stopped_unsure": (
        "Não comprovado: a busca foi interrompida antes do fim, {held}; {left}, e uma estimativa "
        "podou outras sem prova."
    ),
    "best_so_far": "as opções são as melhores encontradas até agora",
    "none_so_far": "nenhuma opção foi encontrada até agora",
    "open_one": "{count} região entre {space} continua em aberto",
    "open_many": "{count} regiões entre {space} continuam em aberto",
    "open_at_best": "{left} (no melhor caso: {costs})",
    "cost_of": "{objective} {cost}",
    "rules_kept": "Regras que todas as opções respeitam: {rules}.",
    "rules_checked": "Verificado em cada candidata, sem encurtar a busca: {rules}.",
    "favourable": "Nenhuma mudança é necessária: o modelo já aceita este solicitante.",
    "failed": "Sem explicação: {message}",
    "failed_silently": "Sem explicação: não foi possível explicar esta linha.",
    "no_certificate": "Não há certificado, portanto nada se afirma além das próprias opções.",
    # The same for the applicant.
    "you_rejected": "Atualmente, o modelo rejeita a sua solicitação.",
    "you_rejected_margin": "Atualmente, o modelo não aceita a sua solicitação com clareza suficiente.",
    "you_rejected_models": "Atualmente, pelo menos um de {models} modelos rejeita a sua solicitação.",
    "you_rejected_models_margin": (
        "Atualmente, pelo menos um de {models} modelos não aceita a sua solicitação com clareza suficiente."
    ),
    "you_rejected_class": "Atualmente, o modelo não prevê {target} para você.",
    "you_rejected_range": "Atualmente, a previsão do modelo para você não fica {range}.",
    "you_predicted": "O modelo prevê {prediction} para você; ela precisa ficar {range}.",
    "you_accepted": "O modelo já aceita a sua solicitação.",
    "you_can_one": "Esta opção mudaria isso:",
    "you_can_many": "Você pode escolher uma destas {count} opções:",
    "you_can_few": (
        "Você pode escolher uma destas {count} opções, selecionadas por serem diferentes entre si:"
    ),
    "you_cannot": "Não encontramos nenhuma opção que mude isso.",
    "your_option": "{todo}.",
    "your_option_best": "{todo} – {best}.",
    "more_one": "Foi encontrada mais {count} opção.",
    "more_many": "Foram encontradas mais {count} opções.",
    "all_are_huge": "combinações possíveis{limit} (um número de {digits} algarismos)",
    "clearly": "com clareza suficiente ",
    "leads": "leva {clearly}à decisão desejada",
    "leads_plausible": "leva {clearly}à decisão desejada e é realista",
    "leads_rules": "leva {clearly}à decisão desejada e respeita as regras",
    "leads_plausible_rules": "leva {clearly}à decisão desejada, é realista e respeita as regras",
    "one_that_leads": "combinação que leva {clearly}à decisão desejada",
    "one_that_leads_plausible": "combinação realista que leva {clearly}à decisão desejada",
    "one_that_leads_rules": "combinação permitida que leva {clearly}à decisão desejada",
    "one_that_leads_plausible_rules": "combinação realista e permitida que leva {clearly}à decisão desejada",
    "to_lead": "levar {clearly}à decisão desejada",
    "to_lead_plausible": "levar {clearly}à decisão desejada e ser realista",
    "to_lead_rules": "levar {clearly}à decisão desejada e respeitar as regras",
    "to_lead_plausible_rules": "levar {clearly}à decisão desejada, ser realista e respeitar as regras",
    "your_proof_all": (
        "Está comprovado que não há opção mais fácil: das {space}, toda {one} exige pelo menos tanto "
        "esforço quanto uma das {count} opções (medido por {objectives})."
    ),
    "your_proof_only": (
        "Está comprovado que não há opção mais fácil: das {space}, toda {one} exige pelo menos tanto "
        "esforço quanto esta (medido por {objectives})."
    ),
    "your_proof_none": "Está comprovado que nenhuma das {space} {leads}.",
    "your_proof_sole_some": "Está comprovado que não há outra opção: esta é a única mudança possível.",
    "your_proof_sole_none": "Está comprovado que a única mudança possível não basta.",
    "your_proof_sole_none_if": (
        "Está comprovado que a única mudança possível não faz o que teria de fazer: {to_lead}."
    ),
    "your_proof_of_exact": (
        "A prova trata dos valores exatos. Onde um valor é mostrado arredondado, o arredondado foi "
        "conferido e também é aceito."
    ),
    "your_proof_nothing_moves": (
        "Está comprovado que não há opção, pois não há nada que se possa aconselhar você a mudar."
    ),
    "your_grid": "Isso vale para os valores que foram testados.",
    "your_grid_steps": "Isso vale para os valores que foram testados: {steps}.",
    "your_grid_open": (
        "Isso vale para os valores que foram testados; valores mais próximos entre si também foram testados, "
        "mas não todos."
    ),
    "your_grid_open_steps": (
        "Isso vale para os valores que foram testados: {steps}; valores mais próximos entre si também foram "
        "testados, mas não todos."
    ),
    "your_grid_finest": (
        "Isso vale para os valores que foram testados, tão próximos entre si quanto os dados e os passos "
        "definidos permitem."
    ),
    "your_grid_finest_some": (
        "Foram testados valores mais próximos entre si do que o habitual, pois com os habituais não havia "
        "nenhuma opção."
    ),
    "your_unproven_some": (
        "Não está comprovado que esta lista seja completa, e pode haver opções mais fáceis: {because}."
    ),
    "your_unproven_none": "Não está comprovado que não haja opção; ainda pode existir alguma: {because}.",
    "because_stopped": "a busca foi interrompida antes do fim",
    "because_contradiction": "o modelo contradisse o que havíamos calculado a partir dele",
    "because_doubt": "alguns casos limítrofes não puderam ser decididos",
    "because_misprint": "a busca seguiu um método como foi impresso, com os erros de impressão",
    "because_unknown": "a busca não tem prova",
    "because_estimate": "a busca foi encurtada por uma estimativa, e não se conhece a sua taxa de omissão",
    "because_estimate_rate": (
        "a busca foi encurtada por uma estimativa, e espera-se que ela omita opções para no máximo {share} "
        "dos solicitantes rejeitados"
    ),
    "your_options_work_one": "A opção foi conferida com o próprio modelo.",
    "your_options_work_many": "Cada opção foi conferida com o próprio modelo.",
    "your_no_certificate": "Nada se afirma sobre outras opções.",
    "your_favourable": "Você não precisa mudar nada.",
    "your_failed": "Não conseguimos calcular uma explicação para você. O motivo é: {message}",
    "your_failed_silently": "Não conseguimos calcular uma explicação para você.",
    "no_promise": "Isto explica como um modelo decide; não é uma promessa do que será decidido.",
    # Why there is no option.
    "relaxations": "Há uma opção se restrições forem relaxadas (testadas: {considered}):",
    "relaxation": "Sem {restrictions}: {todo}.",
    "relaxation_unproven": (
        "Sem {restrictions}: {todo} (pode haver um conjunto menor ou uma opção mais barata)."
    ),
    "no_relaxation": (
        "Mesmo sem nenhuma das restrições testadas ({considered}), não há opção entre os valores que "
        "foram testados."
    ),
    "no_relaxation_found": "Nenhuma opção foi encontrada ao relaxar restrições (testadas: {considered}).",
    "relaxations_complete": (
        "Esta lista é completa: uma relaxação menor não dá nenhuma opção entre os valores que foram testados."
    ),
    "relaxations_incomplete": "Esta lista pode não ser completa.",
    "undecided": "Limite de tempo atingido antes de um resultado: sem {restrictions}.",
    "restriction_changes": "o limite {text}",
    "restriction_direction": "a direção {text}",
    "restriction_range": "a faixa {text}",
    "restriction_missing": "a restrição {text}",
    "restriction_rule": "a regra {text}",
    "restriction_plausibility": "a exigência de que as opções sejam realistas",
    # Rules and restrictions between features.
    "in_english": "{text} (em inglês, como foi escrito)",
    "rule_up": "{name} só aumenta",
    "rule_down": "{name} só diminui",
    "rule_most": "mudanças simultâneas: no máximo {most} (passaria a {more})",
    "rule_missing": "{name} continua sem valor",
    "rule_within": "{name} de {low} a {high} (passaria a ir de {lower} a {higher}, até onde vão os dados)",
    "rule_moves": "{name} muda tanto quanto {driver}",
    "rule_moves_times": "{name} muda {ratio} vezes o que muda {driver}",
    "rule_exclusive": "no máximo um destes muda: {names}",
    "rule_nonzero": "no máximo um destes é diferente de 0: {names}",
    "rule_together": "{names} mudam em conjunto ou não mudam",
    "rule_choices": "{name} é somente um destes: {listed}",
    "rule_never": "{name} nunca muda assim: {transitions}",
    "rule_only": "{name} muda somente assim: {transitions}",
    "rule_level": "{name} é um destes: {names}",
    "rule_level_none": "{name} é um destes ou nenhum: {names}",
    "rule_if": "se {condition}, então {consequence}",
    "when_changes": "{name} muda",
    "when_most": "{name} é no máximo {high}",
    "when_least": "{name} é no mínimo {low}",
    "when_between": "{name} vai de {low} a {high}",
    "when_one_of": "{name} é um destes: {values}",
    "when_is": "{name} é {value}",
    "candidates_steps": "{count}: de {low} a {high}, a cada {step}",
    "candidates_between": "{count}: de {low} a {high}, em passos de {least} a {most}",
    "candidates_list": "{count}: {values}",
    "candidates_go_missing": "{candidates}; pode ficar sem valor",
    "candidates_stay_missing": "{candidates}; sem valor continua assim",
    "candidates_stay_special": "{candidates}; valores especiais que permanecem: {values}",
    "candidates_leave_special": "{candidates}; valores especiais que podem ser deixados: {values}",
}
