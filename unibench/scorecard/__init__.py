"""Scorecards: a row a verifier kind, with intervals, what is unscored and what was dropped. No mean over two kinds."""

from unibench.scorecard.rows import MixedVerifierError, Row, Scorecard, mean_score, scorecard

__all__ = ["MixedVerifierError", "Row", "Scorecard", "mean_score", "scorecard"]
