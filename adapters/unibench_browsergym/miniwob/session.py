"""One browser, a fresh context for each episode, upstream's task object on its page."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from browsergym.core.constants import BROWSERGYM_ID_ATTRIBUTE
from playwright.sync_api import BrowserContext, Error, Page
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from unibench.actions import Action, Done
from unibench.errors import EnvironmentFault, SetupFault, UnknownName
from unibench.observations import Observation
from unibench.settings import Substrate
from unibench.suite import ActionResult, Session
from unibench.task import Brief, Budget, Instance, InstanceSpec, Text
from unibench.verdict import Evidence, Verdict
from unibench_browsergym.actions import HOLDING, POINTLESS, ActionFailed, Effects, perform, translate, why_refused, why_too_long
from unibench_browsergym.browser import BrowserPool
from unibench_browsergym.looking import Looker
from unibench_browsergym.miniwob import STEPS, VIEWPORT, MiniwobSettings, Observations, offers
from unibench_browsergym.miniwob.reseeding import may_reseed, reseed

if TYPE_CHECKING:
    from browsergym.miniwob.base import AbstractMiniwobTask

    from unibench_browsergym.miniwob.suite import MiniwobSuite

T = TypeVar("T")

# Two frames: one for what the input changed, one for what that changed in turn.
_PAINTED = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"


@dataclass
class MiniwobHandle:
    """What golden recipes get: the live page, the goal as worded now, and the spec."""

    page: Page
    goal: str
    spec: InstanceSpec


@dataclass
class Episode:
    """All that lives as long as one instance."""

    spec: InstanceSpec
    task: AbstractMiniwobTask
    context: BrowserContext
    page: Page
    goal: str
    looker: Looker
    messages: list[dict[str, Any]]
    last_error: str = ""
    infeasible: bool = False
    done: bool = False
    crashed: str = ""
    reloaded: bool = False
    held: bool = False
    """Whether a mouse button or a key may still be pressed."""
    pointed: bool = False
    """Whether the mouse may be over the page."""

    @property
    def untroubled(self) -> bool:
        """Whether the page can take another instance."""
        return not (self.crashed or self.reloaded or self.held or self.page.is_closed() or len(self.context.pages) != 1)


class MiniwobSession(Session):
    """A MiniWoB++ machine: a browser, which sessions of one process share, and at most one episode in a context of its own."""

    def __init__(self, suite: MiniwobSuite, settings: MiniwobSettings, substrate: Substrate, pool: BrowserPool) -> None:
        self._suite = suite
        self._settings = settings
        self._pool = pool
        self._substrate = substrate
        self._episode: Episode | None = None
        self._spare: tuple[BrowserContext, Page] | None = None
        self._left: list[BrowserContext] = []
        self._closed = False
        pool.join()

    @property
    def substrate(self) -> Substrate:
        return self._substrate.model_copy(update={"digest": self._pool.version})

    @property
    def episode(self) -> Episode:
        if self._episode is None:
            raise EnvironmentFault("there is no running episode; reset first")
        return self._episode

    @property
    def handle(self) -> MiniwobHandle:
        episode = self.episode
        episode.pointed = True
        return MiniwobHandle(episode.page, episode.goal, episode.spec)

    # -- the port ------------------------------------------------------------------------------

    def reset(self, spec: InstanceSpec) -> Instance:
        task = self._suite.task_class(spec.task)(seed=_seed(spec), base_url=self._suite.base_url)
        episode = self._reseeded(spec, task) or self._loaded(spec, task)
        self._episode = episode
        return Instance(spec=spec, brief=self._brief(episode))

    def _reseeded(self, spec: InstanceSpec, task: AbstractMiniwobTask) -> Episode | None:
        """The instance in the page that is there, if the settings ask for it and nothing of the last episode can be left."""
        last = self._episode
        if not self._settings.reseed_in_page or last is None or not last.untroubled or last.spec.task != spec.task:
            return None
        if not may_reseed(spec.task, self._suite.upstream()["miniwob"]) or last.page.url != task.url:
            return None
        try:
            if last.pointed:
                last.page.mouse.move(-10, -10)
            goal = reseed(task, last.page)
        except Error:
            return None  # a fresh page will tell what broke
        return replace(last, spec=spec, task=task, goal=goal, messages=[], last_error="", infeasible=False, done=False, pointed=False)

    def _loaded(self, spec: InstanceSpec, task: AbstractMiniwobTask) -> Episode:
        self._leave()
        try:
            context, page = self._taken() or self._opened_page()
        except Error as error:
            raise EnvironmentFault(f"the browser gives no page: {_first(error)}", detail=str(error)) from None
        try:
            context.set_default_timeout(task.timeout)
            goal, _ = task.setup(page)
            page.wait_for_load_state("domcontentloaded")
        except Error as error:
            context.close()
            raise SetupFault(f"{spec.task} does not come up: {_first(error)}", detail=str(error)) from None
        episode = Episode(spec, task, context, page, goal, Looker(page, self._settings.tags_to_mark), messages=[])
        self._episode = episode
        self._watch(page)
        page.on("domcontentloaded", self._loaded_again)
        context.on("page", self._opened)
        return episode

    def _brief(self, episode: Episode) -> Brief:
        offered = offers(self._settings)
        return Brief(
            suite=episode.spec.suite,
            task=episode.spec.task,
            goal=(Text(text=episode.goal),),
            actions=offered.actions,
            dialects=offered.dialects,
            observations=tuple(offered.observations),
            screen=offered.screen,
            budget=Budget(steps=STEPS),
        )

    def observe(self, names: Sequence[str]) -> Observation:
        for name in names:
            if name not in Observations.KINDS:
                raise UnknownName.among("observation", name, Observations.KINDS)
        episode = self.episode
        others: dict[str, Callable[[], Any]] = {
            "url": lambda: episode.page.url,
            "goal": lambda: episode.goal,
            "last_action_error": lambda: episode.last_error,
            "open_pages_urls": lambda: [page.url for page in episode.context.pages],
            "open_pages_titles": lambda: [page.title() for page in episode.context.pages],
            "active_page_index": lambda: episode.context.pages.index(episode.page),
        }
        return self._alive(lambda: episode.looker.observe(names, others))

    def act(self, action: Action) -> ActionResult:
        episode = self.episode
        start = time.perf_counter()
        error, refused = "", False
        try:
            calls = translate(action)
            error = why_refused(calls, allow_any_url=self._settings.allow_any_url, allow_upload=self._settings.allow_upload)
            refused = bool(error)
            error = error or why_too_long(calls)
            if not error:
                episode.held = episode.held or any(name in HOLDING for name, _, _ in calls)
                episode.pointed = episode.pointed or any(name not in POINTLESS for name, _, _ in calls)
                effects = Effects(message=lambda text: self._say(episode, text), infeasible=lambda why: self._give_up(episode, why))
                self._use(perform(calls, episode.page, effects), episode)
        except ActionFailed as failed:
            error = str(failed)
            self._check_alive(episode, failed.__cause__)
        episode.last_error = error
        episode.done = episode.done or isinstance(action, Done)
        self._settle(episode)
        said = bool(episode.messages) and episode.messages[-1]["role"] == "assistant"
        ended = episode.done or (episode.infeasible and self._settings.end_on_infeasible) or (said and self._settings.end_on_answer)
        return ActionResult(error=error, refused=refused, ended=ended, seconds=time.perf_counter() - start)

    def verify(self) -> Verdict:
        episode = self.episode
        descriptor = self._suite.describe(episode.spec.task, self._settings)
        start = time.perf_counter()
        self._active_page(episode)
        reward, done, _, info = self._alive(lambda: episode.task.validate(episode.page, episode.messages))
        raw = info.get("RAW_REWARD_GLOBAL")
        if episode.reloaded and raw is not None and not self._settings.allow_any_url:
            # A fresh load draws another instance than the one on record; whatever is done on it solves another task.
            return Verdict.of(
                descriptor, 0.0, final=True, evidence=Evidence(found={"url": episode.page.url}, note="the task's page was loaded again")
            )
        wrapper, page = descriptor.sources
        # A raw reward between 0 and 1 is the page's partial credit; only BrowserGym's "> 0" makes a pass of it.
        by_wrapper = raw is None or 0 < raw < 1
        return Verdict.of(
            descriptor,
            float(reward),
            raw=None if raw is None else float(raw),
            final=bool(done),
            evidence=Evidence(
                expected={"raw reward": "> 0"},
                found={"raw reward": raw, "reason": info.get("REWARD_REASON"), "done": bool(done)}
                if raw is not None
                else {"url": episode.page.url},
                decided_by=wrapper.path if by_wrapper else page.path,
                note=str(info.get("error", "")),
            ),
            seconds=time.perf_counter() - start,
        )

    def settle(self) -> None:
        self._settle(self.episode)

    def artifacts(self) -> dict[str, bytes]:
        episode = self.episode
        html = self._alive(episode.page.content)
        return {"page.html": html.encode(), "screenshot.png": self._alive(episode.looker.screenshot).png}

    def idle(self) -> None:
        self._close_left()
        if self._spare is not None or self._settings.reseed_in_page or not self._pool.browser_is_up:
            return
        self._spare = self._opened_page()
        if self._episode is not None:
            # The next instance is most often of the same task: its scripts are compiled once the page has been seen.
            self._spare[1].goto(self._episode.task.url)

    def close(self) -> None:
        self._leave()
        self._close_left()
        if spare := self._taken():
            spare[0].close()
        if not self._closed:
            self._closed = True
            self._pool.leave()

    # -- inside --------------------------------------------------------------------------------

    def _leave(self) -> None:
        episode, self._episode = self._episode, None
        if episode is None:
            return
        with contextlib.suppress(Error):  # the page crashed, or its browser ended
            episode.task.teardown()
        self._left.append(episode.context)
        if len(self._left) > 1:
            self._close_left()

    def _close_left(self) -> None:
        """Closes contexts of episodes that were left, which need not keep the next reset waiting."""
        while self._left:
            with contextlib.suppress(Error):  # it went with a crashed page or browser
                self._left.pop().close()

    def _opened_page(self) -> tuple[BrowserContext, Page]:
        """A fresh context and its page, such as every MiniWoB++ task has."""
        browser = self._pool.browser
        self._pool.playwright.selectors.set_test_id_attribute(BROWSERGYM_ID_ATTRIBUTE)
        context = browser.new_context(viewport={"width": VIEWPORT[0], "height": VIEWPORT[1]})
        return context, context.new_page()

    def _taken(self) -> tuple[BrowserContext, Page] | None:
        """The page that was prepared while nobody called, if its browser still lives."""
        spare, self._spare = self._spare, None
        if spare is None or not self._pool.browser_is_up or spare[0].browser is not self._pool.browser or spare[1].is_closed():
            return None
        return spare

    def _watch(self, page: Page) -> None:
        page.on("crash", self._page_crashed)

    def _page_crashed(self, page: Page) -> None:
        if (episode := self._episode_of(page)) is not None:
            episode.crashed = "the page crashed"

    def _loaded_again(self, page: Page) -> None:
        if (episode := self._episode_of(page)) is not None:
            episode.reloaded = True

    def _opened(self, page: Page) -> None:
        """A page that the task's page opened becomes the active one, as upstream's focus tracking makes it."""
        if (episode := self._episode_of(page)) is not None:
            self._watch(page)
            self._use(page, episode)

    def _episode_of(self, page: Page) -> Episode | None:
        """The running episode, if the page is one of its pages; a left context may still send events."""
        episode = self._episode
        return episode if episode is not None and page.context is episode.context else None

    def _use(self, page: Page, episode: Episode) -> None:
        if page is not episode.page:
            episode.page = page
            episode.looker = Looker(page, self._settings.tags_to_mark)

    def _active_page(self, episode: Episode) -> None:
        """Keeps an open page active (browsergym/core/env.py ``_active_page_check``)."""
        if not episode.page.is_closed():
            return
        pages = episode.context.pages
        if not pages:
            raise EnvironmentFault("the page closed")
        self._use(pages[-1], episode)

    def _say(self, episode: Episode, text: str) -> None:
        if not isinstance(text, str):
            raise ValueError(f"Forbidden value: {text} is not a string")
        episode.messages.append({"role": "assistant", "timestamp": time.time(), "message": text})

    def _give_up(self, episode: Episode, reason: str) -> None:
        if not isinstance(reason, str):
            raise ValueError(f"Forbidden value: {reason} is not a string")
        episode.messages.append({"role": "infeasible", "timestamp": time.time(), "message": reason})
        episode.infeasible = True

    def _settle(self, episode: Episode) -> None:
        if self._settings.pre_observation_delay:
            time.sleep(self._settings.pre_observation_delay)
        self._active_page(episode)
        page = episode.page
        try:
            page.wait_for_load_state("domcontentloaded", timeout=3000)
            if self._settings.wait_for_paint and not self._settings.pre_observation_delay:
                # With a time-out, which evaluate() has not: on a page that is just crashing it would never return.
                page.wait_for_function(_PAINTED, timeout=3000)
        except PlaywrightTimeout as late:
            self._check_alive(episode, late)  # upstream goes on after 3 s, too
        except Error as error:
            self._check_alive(episode, error)

    def _alive(self, look: Callable[[], T]) -> T:
        episode = self.episode
        try:
            return look()
        except Error as error:
            self._check_alive(episode, error)
            raise

    def _check_alive(self, episode: Episode, error: BaseException | None) -> None:
        """Raises if the page or the browser is gone."""
        if not self._pool.browser_is_up:
            raise EnvironmentFault("the browser ended") from error
        if episode.crashed or "Target crashed" in str(error):
            raise EnvironmentFault(episode.crashed or "the page crashed") from error
        if episode.page.is_closed() and not episode.context.pages:
            raise EnvironmentFault("the page closed") from error


def _seed(spec: InstanceSpec) -> int:
    seed = spec.params.get("seed")
    if not isinstance(seed, int):
        raise SetupFault(f"the spec of {spec.task} has no integer param 'seed'; draw it with Suite.draw")
    return seed


def _first(error: Error) -> str:
    return str(error).splitlines()[0]
