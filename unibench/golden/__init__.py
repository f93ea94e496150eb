"""The golden check: right and nearly right end states, built without an agent, and what the verifier says of them.

``control`` is the port that a suite's golden module fills; ``inside`` runs one control in the session process; ``judge``
makes decisions of results; ``ledger`` is the file; ``check`` is the supervisor; ``report`` writes for maintainers.
"""
