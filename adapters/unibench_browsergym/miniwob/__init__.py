"""MiniWoB++ as BrowserGym wraps it: the suite's static face."""

from __future__ import annotations

from typing import ClassVar, Literal

from unibench.settings import Settings, Substrate, setting
from unibench.suite import Headline, Offers, SuiteFace

SCALE = 1.5
"""BrowserGym zooms the screenshot (browsergym/miniwob/base.py, 0.14.3: ``page._bgym_scale_factor``)."""
VIEWPORT = (332, 214)
"""The page's viewport in CSS pixels (browsergym/miniwob/base.py, 0.14.3)."""

STEPS = 10
"""BrowserGym's own budget for MiniWoB++ (browsergym/experiments/benchmark/configs.py at 9e779f08: ``max_steps=10``)."""


class MiniwobSettings(Settings):
    """How MiniWoB++ is run; each field knows upstream's value and whether it affects scores."""

    pre_observation_delay: float = setting(
        0.0,
        upstream=0.5,
        affects_scores=True,
        ge=0,
        le=60,
        description="seconds to sleep after each action; 0 waits until the page has painted instead",
    )
    wait_for_paint: bool = setting(
        True,
        upstream=False,
        affects_scores=True,
        description="without a delay, wait for two frames after each action; false looks at once, as upstream with its delay off",
    )
    slow_mo: float = setting(
        0.0,
        upstream=100.0,
        affects_scores=True,
        ge=0,
        le=10000,
        description="milliseconds that Playwright waits after each of its operations",
    )
    allow_any_url: bool = setting(
        False,
        upstream=True,
        affects_scores=True,
        description="let the agent go to other pages and to javascript: URLs, which can write what the verifier reads",
    )
    allow_upload: bool = setting(
        False,
        upstream=True,
        affects_scores=True,
        description="let the agent upload files of this machine",
    )
    end_on_infeasible: bool = setting(
        True,
        upstream=True,
        affects_scores=True,
        description="reporting a task as infeasible ends the episode",
    )
    end_on_answer: bool = setting(
        False,
        upstream=False,
        affects_scores=True,
        description="an answer to the user ends the episode",
    )
    reseed_in_page: bool = setting(
        False,
        upstream=False,
        affects_scores=False,
        description="draw a task's next instance in the page that is there, for tasks where that was seen to equal a fresh load",
    )
    tags_to_mark: Literal["standard_html", "all"] = setting(
        "standard_html",
        upstream="standard_html",
        affects_scores=True,
        description="which HTML elements get a ref",
    )


class Observations:
    """The names of what can be observed; those that end in ``_object`` or ``_properties`` are BrowserGym's own structures."""

    KINDS: ClassVar[dict[str, Literal["image", "text", "json"]]] = {
        "screenshot": "image",
        "axtree": "text",
        "dom": "text",
        "url": "text",
        "goal": "text",
        "focused": "text",
        "last_action_error": "text",
        "axtree_object": "json",
        "dom_object": "json",
        "extra_element_properties": "json",
        "open_pages_urls": "json",
        "open_pages_titles": "json",
        "active_page_index": "json",
    }


def offers(settings: Settings) -> Offers:
    """What MiniWoB++ takes and shows."""
    return Offers(
        actions=(
            "click", "double_click", "move", "drag", "scroll", "type", "key", "hotkey", "back", "goto",
            "wait", "answer", "done", "infeasible", "native",
        ),
        dialects=("browsergym",),
        observations=Observations.KINDS,
        screen=(round(VIEWPORT[0] * SCALE), round(VIEWPORT[1] * SCALE)),
    )  # fmt: skip


FACE = SuiteFace(
    name="miniwob",
    title="MiniWoB++ (BrowserGym)",
    summary="125 small web tasks, judged by the page's own JavaScript",
    suite="unibench_browsergym.miniwob.suite:MiniwobSuite",
    settings=MiniwobSettings,
    offers=offers,
    observe=("screenshot", "axtree", "url"),
    substrates=(Substrate(name="chromium", fidelity="equivalent"),),
    packages=("browsergym-miniwob==0.14.3", "miniwob==1.1.0"),
    extra="miniwob",
    sessions_a_process=32,
    headline=Headline(
        name="mean reward (AgentLab)",
        mean_over="episodes",
        unscored="zero",
        tasks=125,
        instances=5,
        rule="the mean reward of all episodes, 5 seeds a task, 10 steps each; an episode that broke has reward 0",
        source=(
            "AgentLab 69cd8930: src/agentlab/analyze/inspect_results.py, summarize(); "
            "BrowserGym 9e779f08: browsergym/experiments/benchmark/configs.py, miniwob: n_repeats=5, max_steps=10"
        ),
    ),
    call_seconds={"*": 30.0, "open": 60.0, "probe": 90.0, "run_control": 45.0},
)
