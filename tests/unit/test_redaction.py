"""Which names say that a value is secret, and in which forms it is found."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unibench.observations import Observation
from unibench.redaction import SHORTEST, is_secret, on_record, redacted
from unibench.runs.traces import MAX_TEXT, Trace


@pytest.mark.parametrize(
    "name", ["OPENAI_API_KEY", "api_key", "apiKey", "apikey", "HF_TOKEN", "password", "db_passwd", "GH_AUTH", "credentials"]
)
def test_secret_names(name: str) -> None:
    assert is_secret(name, "sk-0123456789")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_tokens", "99"),
        ("n_tokens", "4_096"),
        ("token_limit", "32k"),
        ("author", "A. Body"),
        ("keyboard", "de-latin1"),
        ("monkey", "capuchin"),
    ],
)
def test_names_that_only_look_secret(name: str, value: str) -> None:
    assert not is_secret(name, value)


@given(
    st.text(min_size=SHORTEST).filter(lambda text: len(text.strip()) >= SHORTEST and "\0" not in text),
    st.sampled_from([str, repr, ascii, json.dumps]),
)
def test_no_form_of_a_secret_is_left(secret: str, form: Callable[[str], str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MY_PASSWORD", secret)
        left = redacted({"k": [f"<{form(secret)}>"]})["k"][0]
    # Space around a secret may be left of it, and a form's quotes.
    assert re.fullmatch(r"<['\"]?(\\\w+|\s)*\[redacted\](\\\w+|\s)*['\"]?>", left)


def test_half_characters_are_escaped_and_whole_ones_kept() -> None:
    assert on_record({"\ud83d": ["a\ud83d", "\U0001f600", 1, None]}) == {r"\ud83d": [r"a\ud83d", "\U0001f600", 1, None]}


def test_a_trace_is_redacted_before_it_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_API_KEY", "hush-0123456789")
    trace = Trace(tmp_path, screenshots=False)
    trace.add(observation=Observation({"html": "x" * (MAX_TEXT - 12) + "hush-0123456789"}))
    trace.write()
    assert "hush" not in (tmp_path / "trace.jsonl").read_text()
