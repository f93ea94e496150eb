"""The session process: the suite's side of the wire (``worker``) and the supervisor's (``process``, ``remote``)."""
