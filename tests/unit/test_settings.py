"""Settings from text, and what is part of a ledger's key."""

from __future__ import annotations

import pytest

from unibench.errors import InvalidSetting, UnknownName
from unibench_browsergym.miniwob import FACE, MiniwobSettings


def test_texts_become_values() -> None:
    settings = MiniwobSettings.parse({"allow_any_url": "true", "slow_mo": "100"})
    assert settings.allow_any_url is True
    assert settings.slow_mo == 100.0


def test_a_wrong_name_says_what_was_meant() -> None:
    with pytest.raises(UnknownName, match="did you mean 'slow_mo'"):
        MiniwobSettings.parse({"slowmo": "1"})


@pytest.mark.parametrize("value", ["fast", "-1", "nan", "inf"])
def test_a_wrong_value_names_the_setting(value: str) -> None:
    with pytest.raises(InvalidSetting, match="slow_mo"):
        MiniwobSettings.parse({"slow_mo": value})


def test_only_settings_that_affect_scores_are_in_the_digest() -> None:
    from unibench_notebook import NotebookSettings

    assert NotebookSettings().digest == NotebookSettings(spawn_variable=False).digest
    assert NotebookSettings().digest != NotebookSettings(autosave=True).digest
    assert set(MiniwobSettings().score_affecting()) == set(MiniwobSettings.model_fields) - {"reseed_in_page"}


def test_settings_say_where_they_are_not_upstreams() -> None:
    assert MiniwobSettings().not_upstreams() == ["pre_observation_delay", "wait_for_paint", "slow_mo", "allow_any_url", "allow_upload"]
    upstreams = {name: MiniwobSettings.facts(name)["upstream"] for name in MiniwobSettings.model_fields}
    assert MiniwobSettings.parse(upstreams).not_upstreams() == []


def test_an_unknown_substrate_is_said() -> None:
    with pytest.raises(UnknownName, match="chromium"):
        FACE.substrate("firefox")
