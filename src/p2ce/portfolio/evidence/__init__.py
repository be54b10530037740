"""Evidence files: all that it takes to repeat one explanation.

A file keeps the very candidates of the person's grid, so `independent/`, which imports nothing of the engine
(an import contract and a test hold it), can prove the front again by brute force. A replay compares every
field of an explanation and its problem except a stated few, so a new field is compared without a list; it
says what it compared, what it did not, and which inputs only the file attests. A test changes an entry of
every shape and expects a difference, or its name in a list. Signatures are Ed25519 over the names and hashes
of all other parts (`cryptography`, the extra `sign`: Ed25519 needs no randomness, so files stay the same to
the byte).
"""
