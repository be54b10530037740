"""What everything else stands on: displayed text, safe files, limits, arrays, calls of user objects.

Plain data from outside (results, policies, archives) is checked by msgspec against the types, and an error
has the path of its place, or the line of a policy file. `limits` counts before anything is unpacked,
`visible.echoed` writes every value of an error message, `visible.visible` every displayed text. Faults of the
user's objects become errors of theirs where they are called (`calls/`), so that any other exception is ours
and is logged with its traceback.
"""
