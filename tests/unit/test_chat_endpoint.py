"""The example agent for chat endpoints: whose fault each way of failing is, over real HTTP on loopback."""

from __future__ import annotations

import email.utils
import sys
import time
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.model_server import Body, Reply, broken, says, serving
from unibench.actions import Action, Click, Element, Type, Wait
from unibench.agents import AgentUnavailable
from unibench.errors import UsageError
from unibench.observations import Observation
from unibench.task import Brief, Text

sys.path.insert(0, str(ROOT / "examples" / "agents"))

from chat_endpoint import ChatEndpoint, NoAction, last_object

CLICK = 'I press the button.\n```json\n{"type": "click", "target": {"ref": "13"}}\n```'
BRIEF = Brief(
    suite="s",
    task="t",
    goal=(Text(text="Click the button."),),
    actions=("click", "type", "done"),
    observations=("axtree",),
    screen=(10, 10),
)
TREE = Observation({"axtree": "[13] button 'Click Me!'", "last_action_error": ""})


def agent(url: str, **arguments: Any) -> ChatEndpoint:
    made = ChatEndpoint("m", url, **{"observe": "axtree", "pause": 0.01, "timeout": 5, **arguments})
    made.reset(BRIEF)
    return made


def act(url: str, **arguments: Any) -> Action:
    found: Action = agent(url, **arguments).act(TREE)
    return found


def test_a_reply_is_an_action_and_is_paid_for() -> None:
    with serving([says(CLICK)]) as model:
        chat = agent(model.url, temperature="0.5", max_output="300", price_in="2", price_out="10")
        assert chat.act(TREE) == Click(target=Element(ref="13"))
    assert chat.usage == {
        "calls": 1, "bad_replies": 0, "prompt_tokens": 100, "completion_tokens": 20, "retried_calls": 0, "cost": pytest.approx(4e-4),
    }  # fmt: skip
    (request,) = model.requests
    assert (request["model"], request["temperature"], request["max_tokens"]) == ("m", 0.5, 300)
    assert "Click the button." in str(request["messages"])
    assert "[13] button" in str(request["messages"])


def test_an_unknown_price_is_no_cost_and_untold_tokens_are_no_tokens() -> None:
    with serving([says(CLICK, usage={}), says(CLICK)]) as model:
        chat = agent(model.url, price_in="2")
        chat.act(TREE)
        assert chat.usage == {"calls": 1, "bad_replies": 0, "retried_calls": 0}
        chat.reset(BRIEF)
        chat.act(TREE)
    assert chat.usage["prompt_tokens"] == 100
    assert "cost" not in chat.usage


def test_the_key_comes_from_the_environment_and_is_in_nothing_that_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-very-secret-123")
    with serving([says(CLICK)]) as model:
        chat = agent(model.url, api_variable="MY_KEY")
        chat.act(TREE)
    assert model.keys == ["Bearer sk-very-secret-123"]
    assert "sk-very" not in str(chat.describe())
    with pytest.raises(UsageError, match="password"):
        agent("http://me:sk-very-secret-123@localhost/v1")


@pytest.mark.parametrize(
    "key", ["sk-very-secret-123\r", "sk-very-secret-123\n", "sk-very secret-123", "sk-very\tsecret-123", "sk-very-s\xe9cret"]
)
def test_a_key_that_no_header_can_hold_is_refused_at_the_start_and_not_shown(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", key)
    with pytest.raises(UsageError, match=r"MY_KEY.*line break") as refused:
        agent("http://localhost/v1", api_variable="MY_KEY")
    assert "sk-" not in str(refused.value)


@pytest.mark.parametrize(
    "url", ["localhost/v1", "ftp://localhost/v1", "http:///v1", "http://local\nhost/v1", "http://[::1/v1", "http://h:x/v1"]
)
def test_an_address_that_is_none_is_refused_at_the_start(url: str) -> None:
    with pytest.raises(UsageError, match="base_url"):
        agent(url)


@pytest.mark.parametrize("before", [0, 185, 190, 199])
def test_a_server_that_says_the_key_again_gives_no_part_of_it_away(before: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-123")
    said = "x" * before + "sk-very-secret-123"
    for reply in (Reply(said.encode(), 401), Reply(said.encode(), 500), Reply(said.encode()), says(said)):
        with serving([reply]) as model, pytest.raises((AgentUnavailable, NoAction)) as failed:
            act(model.url, retries=0)
        assert "sk-" not in str(failed.value)


@pytest.mark.parametrize(
    "first",
    [
        broken(500),
        broken(503),
        broken(429),
        Reply(b"<html>bad gateway</html>"),
        Reply(b'{"choices": []}'),
        Reply(b'{"choices": [{"text": "legacy"}]}'),
        Reply(b"[1, 2]"),
        Reply(b'{"error": {"message": "overloaded"}}'),
        Reply(b"\xff\xfe"),
        Reply(b"[" * 100_000),
        Reply(b" " * (9 * 2**20)),
        says(CLICK, hold=2.0),
        says(CLICK, drip=0.05),
        says(CLICK, drip_head=0.05),
        says([{"type": "text", "text": None}, {"type": "text", "text": CLICK}]),
        says([CLICK]),
        says(13),
        says(CLICK, usage={"prompt_tokens": 10**400, "completion_tokens": 20}),
        says(CLICK, usage={"prompt_tokens": -1000, "completion_tokens": 20}),
        says(CLICK, usage={"prompt_tokens": 100, "completion_tokens": float("nan")}),
    ],
    ids=[
        "500", "503", "429", "html", "no choices", "no message", "a list", "error in 200", "no text", "deep", "huge", "hangs", "drips",
        "header drips", "part without text", "part that is none", "content that is none", "huge count", "negative count", "nan count",
    ],
)  # fmt: skip
def test_what_keeps_a_reply_from_coming_is_tried_again_and_then_infrastructures_fault(first: Reply) -> None:
    slow = first.hold or first.drip or first.drip_head
    with serving([first, says(CLICK)]) as model:
        assert act(model.url, timeout=0.7 if slow else 3) == Click(target=Element(ref="13"))
    assert len(model.requests) == 2
    with serving([first]) as model:
        with pytest.raises(AgentUnavailable, match="does not answer"):
            act(model.url, timeout=0.3 if slow else 3, retries=1)
        until = time.monotonic() + 5
        while len(model.requests) < 2 and time.monotonic() < until:  # the last one may be given up before it is read
            time.sleep(0.01)
    assert len(model.requests) == 2


def test_half_a_character_is_no_error_of_anyones() -> None:
    with serving([says("\ud83d"), says(CLICK)]) as model:
        chat = agent(model.url)
        tree = Observation({"axtree": "[13] button '\ud83d'", "last_action_error": ""})
        assert chat.act(tree) == Click(target=Element(ref="13"))
    assert "[13] button '?'" in str(model.requests[0]["messages"])
    assert model.requests[1]["messages"][-2] == {"role": "assistant", "content": "?"}


def test_a_text_in_parts_is_one_text() -> None:
    parts = [{"type": "reasoning"}, {"type": "text", "text": CLICK[:30]}, {"type": "text", "text": CLICK[30:]}]
    with serving([says(parts)]) as model:
        assert act(model.url) == Click(target=Element(ref="13"))


def test_nobody_there_is_infrastructures_fault() -> None:
    with serving([says(CLICK)]) as model:
        url = model.url
    with pytest.raises(AgentUnavailable, match=r"3 tries.*ConnectError"):
        act(url, retries=2)


@pytest.mark.parametrize("status", [401, 404, 301])
def test_a_refusal_is_not_tried_again(status: int) -> None:
    elsewhere = broken(status, Location="http://127.0.0.1:1/v1/chat/completions")
    with serving([elsewhere]) as model, pytest.raises(AgentUnavailable, match=f"refuses: HTTP {status}"):
        act(model.url)
    assert len(model.requests) == 1


@pytest.mark.parametrize("as_date", [False, True])
def test_retry_after_is_kept(as_date: bool) -> None:
    calls: list[Body] = []

    def answer(body: Body) -> Reply:
        calls.append(body)
        # A date has whole seconds: two from now are at least one.
        asked = email.utils.formatdate(time.time() + 2, usegmt=True) if as_date else "1"
        return broken(429, Retry_After=asked) if len(calls) == 1 else says(CLICK)

    with serving(answer) as model:
        act(model.url)
    assert model.times[1] - model.times[0] >= 0.9


def test_a_wait_that_the_run_would_not_wait_for_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNIBENCH_ACT_SECONDS", "5")
    with serving([broken(429, Retry_After="3600")]) as model, pytest.raises(AgentUnavailable, match="HTTP 429"):
        act(model.url)
    assert len(model.requests) == 1


@pytest.mark.parametrize(
    "reply", ["I cannot help.", "", None, '{"type": "fly"}', '{"type": "click"}', '{"type": "home"}', '{"type": ["click"]}']
)
def test_a_reply_without_a_valid_action_is_the_agents_own_error(reply: str | None) -> None:
    with serving([says(reply), says(CLICK)]) as model:
        chat = agent(model.url)
        assert chat.act(TREE) == Click(target=Element(ref="13")), "told once, it may do better"
    assert "no valid action" in model.requests[1]["messages"][-1]["content"]
    assert chat.usage["bad_replies"] == 1
    assert chat.usage["prompt_tokens"] == 200
    with serving([says(reply)]) as model:
        with pytest.raises(NoAction, match="no valid action"):
            act(model.url)
        assert len(model.requests) == 2
        with pytest.raises(NoAction):
            act(model.url, on_bad_reply="error")
        assert len(model.requests) == 3
        chat = agent(model.url, on_bad_reply="no-op")
        assert chat.act(TREE) == Type(text=""), "this suite has no wait"
        chat.reset(BRIEF.model_copy(update={"actions": ("click", "wait")}))
        assert chat.act(TREE) == Wait(seconds=0)


def test_the_last_replies_are_shown_again_and_no_more_than_asked_for() -> None:
    with serving([says(f'{n} {{"type": "type", "text": "text-{n}"}}') for n in range(4)]) as model:
        chat = agent(model.url, history="2")
        for _ in range(4):
            chat.act(TREE)
    said = str(model.requests[3]["messages"])
    assert "text-2" in said
    assert "text-1" in said
    assert "text-0" not in said


def test_the_prompts_digest_and_sampling_are_described() -> None:
    said = agent("http://localhost/v1", observe="screenshot@1280x720,pad", seed="3").describe()
    assert said["observation"] == "screenshot@1280x720,pad"
    assert said["sampling"] == {"seed": 3}
    assert len(said["prompt_digest"]) == 32


@pytest.mark.parametrize(
    ("name", "value"), [("observe", "dom"), ("observe", "axtree@5x5"), ("observe", "screenshot@5"), ("on_bad_reply", "hope")]
)
def test_wrong_arguments_are_said(name: str, value: str) -> None:
    with pytest.raises(UsageError, match=value.rpartition("screenshot@")[2]):
        agent("http://localhost/v1", **{name: value})


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1} {"type": "done"} {"b": 2}', {"type": "done"}),
        ('{"type": "a"} then {"type": "b", "target": {"type": "inner"}}', {"type": "b", "target": {"type": "inner"}}),
        ('{ not json } {"type": "done"', None),
        ("{" * 50_000, None),
        ('{"type":' * 20_000, None),
    ],
)  # fmt: skip
def test_the_last_whole_object_with_a_type_is_taken(text: str, found: Any) -> None:
    assert last_object(text) == found
