"""Re-seeding in the page: equal to a fresh load where it is done, and the comparison that says so can fail."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from unibench.actions import Native
from unibench_browsergym.miniwob import MiniwobSettings
from unibench_browsergym.miniwob.prove_reseeding import differences
from unibench_browsergym.miniwob.reseeding import DIFFERENT, may_reseed
from unibench_browsergym.miniwob.session import MiniwobSession
from unibench_browsergym.miniwob.suite import MiniwobSuite

pytestmark = pytest.mark.browser

Pair = tuple[MiniwobSuite, MiniwobSession, MiniwobSession]


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    suite = MiniwobSuite()
    reseeding, loading = (suite.open(MiniwobSettings(reseed_in_page=on), "chromium") for on in (True, False))
    assert isinstance(reseeding, MiniwobSession)
    assert isinstance(loading, MiniwobSession)
    yield suite, reseeding, loading
    reseeding.close()
    loading.close()


@pytest.mark.parametrize("task", ["click-button", "login-user", "email-inbox"])
def test_a_reseeded_page_equals_a_fresh_one(pair: Pair, task: str) -> None:
    suite, reseeding, loading = pair
    reseeding.reset(suite.draw(task, 500))
    page = reseeding.episode.page
    reseeding.reset(suite.draw(task, 501))
    assert reseeding.episode.page is page, "it is done at all"
    assert differences(reseeding, loading, suite, task, 1) == []


def test_the_comparison_sees_a_difference(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    suite, reseeding, loading = pair
    monkeypatch.setattr("unibench_browsergym.miniwob.session.may_reseed", lambda task, version: True)
    assert {"elements", "listeners"} & set(differences(reseeding, loading, suite, "use-slider", 1))


def test_tasks_that_differ_and_other_versions_are_loaded_anew(pair: Pair) -> None:
    suite, reseeding, _ = pair
    assert not may_reseed("click-button", "1.2.0")
    assert not [task for task in DIFFERENT if may_reseed(task, "1.1.0")]
    reseeding.reset(suite.draw("use-slider", 0))
    page = reseeding.episode.page
    reseeding.reset(suite.draw("use-slider", 1))
    assert reseeding.episode.page is not page


@pytest.mark.parametrize("trouble", ["keyboard_down('Shift')", "mouse_down(10, 60)", "goto('about:blank')", "new_tab()"])
def test_a_troubled_page_is_loaded_anew(pair: Pair, trouble: str) -> None:
    suite, reseeding, _ = pair
    reseeding.reset(suite.draw("click-button", 0))
    page = reseeding.episode.page
    reseeding.act(Native(dialect="browsergym", code=trouble))
    reseeding.reset(suite.draw("click-button", 1))
    assert reseeding.episode.page is not page
