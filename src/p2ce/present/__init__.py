"""Write explanations for people: text, pages and charts. It imports `result` and no part of the engine."""
