"""The policy file: its schema, parsing, writing and lint.

`policy_entries` has the types that define the file and its JSON schema. `policy_document` parses YAML with
the line of every entry, and `policy_features` converts entries to features and back. `policy_file` saves and
loads. `policy_lint` checks a policy against the columns that `policy_columns` reads.
"""
