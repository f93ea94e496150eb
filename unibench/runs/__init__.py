"""Runs: one agent over a suite's instances, each finished episode kept at once; resumable by the same command.

``records`` are what is kept, ``store`` keeps them, ``plan`` says what is to run and what is dropped and why, ``episode``
plays one, ``runner`` supervises.
"""
