"""Upstream's controllers and evaluators, run where they can hurt nobody.

They evaluate text that the machine under test sent, import files that an agent wrote, unpack its archives, and print. So they
run in a box (bubblewrap: no network but the guest's ports, a read-only system), each call in a process of its own with its own
process table and ``/tmp``, forked from one that has imported upstream once. ``inside.py`` and ``jobs.py`` run in the box, with the
standard library and upstream alone; ``client.py`` is the session's side.
"""
