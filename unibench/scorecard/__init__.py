"""Scorecards: a row a verifier kind, with intervals, what is unscored and what was dropped. No mean over two kinds."""

from unibench.scorecard.rows import MixedVerifierError, Row, Scorecard, mean_score, scorecard
from unibench.scorecard.together import DifferentProtocols, check_together

__all__ = ["DifferentProtocols", "MixedVerifierError", "Row", "Scorecard", "check_together", "mean_score", "scorecard"]
