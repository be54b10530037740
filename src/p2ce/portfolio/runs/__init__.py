"""Runs over files of any size: sources, shards, journal, results.

    source → shards → worker: read, explain_many, two files → journal → manifest → PortfolioResults

A file is read as a stream of Arrow tables, whatever its kind, and everything that can be wrong with it is
found before the run. The column `explanation` of a results table holds each explanation as JSON, and is what
explanations are read from; the other columns are typed, to be queried, and written only.

A shard is deterministic: explained by an explainer with separate trust, in batches that depend on its rows
alone, written as bytes that depend on its explanations alone. So Dask may repeat it, two workers may
write it at once, and a run that was killed ends in the same bytes. Times are kept apart, in `timings.json`. A
contradiction between model and parsed scores in any shard withdraws the proofs of all, before the manifest.

Dask schedules (docs/theory/choices.md says why). The explainer travels once, as a worker plugin; few shards
are under way at a time; processes on this machine talk TLS with a key made for the run. Workers write their
files themselves, so the parent handles entries of a few hundred bytes; a folder on a disk that all machines
share is the price. A worker that does not see it, or has other code (a hash of all sources), is named in one
line.

A folder is trusted no more than its files. Manifest and journal have types and must add up; rows and
statuses are counted in the files; entries of the journal that are not of the source's shards are forgotten.
`PortfolioResults.explanation` compares the row's id with the one that it was given. A run writes only to a
folder that is this user's, and follows no links. Only regular files are opened.
"""
