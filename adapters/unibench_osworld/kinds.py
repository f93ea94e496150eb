"""Kinds of verifier that desktop suites have and no other so far."""

from unibench.kinds import register_kind
from unibench.verdict import VerifierKind

APP_CONFIG = register_kind(
    VerifierKind(name="app-config", summary="reads a setting in an application's own configuration or profile", reads="application profile")
)
FILE_PROPERTY = register_kind(
    VerifierKind(name="file-property", summary="checks a property of a document or an image by a rule, without a gold copy", reads="files")
)
MEDIA_SIMILARITY = register_kind(VerifierKind(name="media-similarity", summary="how alike two sounds or videos are", reads="files"))
CODE_TEST = register_kind(VerifierKind(name="code-test", summary="runs code that the agent wrote against tests", reads="files"))
OCR_TEXT = register_kind(VerifierKind(name="ocr-text", summary="reads text in an image with a recognition model", reads="files"))
