"""An agent for any OpenAI-compatible chat endpoint, with screenshots or AXTree text.

    export OPENAI_API_KEY=…
    unibench run miniwob -a chat_endpoint:ChatEndpoint -m MODEL -A base_url=https://…/v1 -A observe=screenshot@1024x768,pad

Needs httpx (`pip install 'unibench-gui[chat]'`). The key comes from an environment variable, never from an argument: arguments are in the
run's manifest and in every process list.
"""

import base64
import hashlib
import json
import os
import re
import time

from chat_client import ChatClient

from unibench.actions import Wait, parse_action
from unibench.agents.scaling import Scaling
from unibench.errors import UnsupportedAction, UsageError

SYSTEM = """You operate a graphical user interface to reach a goal. Each turn you see the screen and reply with exactly one action as a JSON
object in a ```json block; you may think before it. A target is {place}. The actions:
{actions}
Say {{"type": "done"}} only when the goal is reached, {{"type": "infeasible"}} if it cannot be."""

AGAIN = "That was no valid action: {why}. Reply with exactly one action as a JSON object in a ```json block."

FORMS = {
    "click": '{"type": "click", "target": TARGET, "button": "left"}',
    "double_click": '{"type": "double_click", "target": TARGET}',
    "move": '{"type": "move", "target": TARGET}',
    "drag": '{"type": "drag", "start": TARGET, "end": TARGET}',
    "scroll": '{"type": "scroll", "target": TARGET, "dx": 0, "dy": 100}',
    "type": '{"type": "type", "text": "…"}',
    "key": '{"type": "key", "key": "Enter"}',
    "hotkey": '{"type": "hotkey", "keys": ["Control", "a"]}',
    "long_press": '{"type": "long_press", "target": TARGET}',
    "swipe": '{"type": "swipe", "start": TARGET, "end": TARGET}',
    "back": '{"type": "back"}',
    "home": '{"type": "home"}',
    "open_app": '{"type": "open_app", "name": "…"}',
    "goto": '{"type": "goto", "url": "…"}',
    "wait": '{"type": "wait", "seconds": 1}',
    "answer": '{"type": "answer", "text": "…"}',
    "done": '{"type": "done"}',
    "infeasible": '{"type": "infeasible", "reason": "…"}',
}

PLACES = {
    "axtree": 'an element of the accessibility tree by the number in its brackets, {"ref": "13"}',
    "screenshot": 'a point in pixels of the image, {"x": 10, "y": 20}',
}


class NoAction(ValueError):
    """The model's reply holds no valid action: the agent's own error, unlike a reply that never came."""


class ChatEndpoint:
    """See the module.

    Args:
        model: the model's name, as the endpoint calls it.
        base_url: up to but without ``/chat/completions``.
        observe: ``screenshot``, ``screenshot@WxH``, ``screenshot@WxH,pad`` or ``axtree``.
        on_bad_reply: ``ask-again`` (once, then it is an agent error), ``no-op`` (a wait of no time), or ``error``.
        history: how many of the last replies the model is shown again.
        temperature, top_p, seed, max_output: sampling; what is not given is left to the endpoint.
        price_in, price_out: US dollars per million prompt and completion tokens; without both no cost is recorded.
        timeout, retries, pause: see ChatClient.
        api_variable: the environment variable that holds the key.
    """

    def __init__(
        self, model, base_url="https://api.openai.com/v1", observe="screenshot", on_bad_reply="ask-again", history=5,
        temperature=None, top_p=None, seed=None, max_output=None, price_in=None, price_out=None,
        timeout=60, retries=4, pause=1, api_variable="OPENAI_API_KEY",
    ):  # fmt: skip
        self.kind, at, size = observe.partition("@")
        if self.kind not in PLACES or (at and self.kind != "screenshot"):
            raise UsageError(f"observe={observe} is none of screenshot, screenshot@WxH, screenshot@WxH,pad and axtree")
        if on_bad_reply not in ("ask-again", "no-op", "error"):
            raise UsageError(f"on_bad_reply={on_bad_reply} is none of ask-again, no-op and error")
        if "@" in base_url:
            raise UsageError("base_url holds a user or a password, and would be in the run's manifest; use the environment variable")
        self.scaling = Scaling.parse(size) if at else None
        self.observe = (self.kind, "last_action_error?")
        self.model, self.base_url, self.on_bad_reply, self.history = model, base_url, on_bad_reply, int(history)
        given = {"temperature": (temperature, float), "top_p": (top_p, float), "seed": (seed, int), "max_tokens": (max_output, int)}
        self.sampling = {name: number(value) for name, (value, number) in given.items() if value is not None}
        self.prices = None if price_in is None or price_out is None else (float(price_in), float(price_out))
        # Ends by itself before the run would end it: a slow model is no error of the agent's.
        self.act_seconds = 0.9 * float(os.environ.get("UNIBENCH_ACT_SECONDS", "300"))
        self.client = ChatClient(
            base_url, os.environ.get(api_variable), timeout=float(timeout), retries=int(retries), pause=float(pause)
        )  # fmt: skip
        self.totals = {"calls": 0, "bad_replies": 0, "prompt_tokens": 0, "completion_tokens": 0}
        self.untold = False

    def describe(self):
        prompt = json.dumps([SYSTEM, AGAIN, FORMS, PLACES], sort_keys=True)
        return {
            "model": self.model, "endpoint": self.base_url, "sampling": self.sampling,
            "prompt_digest": hashlib.sha256(prompt.encode()).hexdigest()[:32], "history": self.history,
            "observation": self.kind + (f"@{self.scaling}" if self.scaling else ""), "on_bad_reply": self.on_bad_reply,
            "prices_per_million": self.prices and list(self.prices),
        }  # fmt: skip

    @property
    def usage(self):
        """Totals since the start. Tokens and cost are left out of an episode in which the endpoint did not tell them."""
        told = {**self.totals, "retried_calls": self.client.retried}
        if self.untold:
            del told["prompt_tokens"], told["completion_tokens"]
        elif self.prices:
            told["cost"] = (self.totals["prompt_tokens"] * self.prices[0] + self.totals["completion_tokens"] * self.prices[1]) / 1e6
        return told

    def reset(self, brief):
        self.untold = False
        self.replies = []
        self.kinds = [name for name in brief.actions if name in FORMS]
        place = PLACES[self.kind]
        actions = "\n".join(FORMS[name].replace("TARGET", "{…}") for name in self.kinds)
        self.goal = [{"type": "text", "text": f"The goal: {brief.text}"}]
        self.goal += [{"type": "image_url", "image_url": {"url": part.url}} for part in brief.goal if part.type == "image"]
        self.system = SYSTEM.format(place=place, actions=actions)

    def act(self, observation):
        deadline = time.monotonic() + self.act_seconds
        messages = self.messages(observation)
        size = observation["screenshot"].size if self.kind == "screenshot" else None
        for more in (self.on_bad_reply == "ask-again", False):
            reply = self.ask(messages, deadline)
            try:
                action = self.action_in(reply, size)
            except NoAction as error:
                self.totals["bad_replies"] += 1
                if not more:
                    break
                messages += [{"role": "assistant", "content": reply}, {"role": "user", "content": AGAIN.format(why=error)}]
                continue
            self.replies = [*self.replies, reply][-self.history :] if self.history else []
            return action
        if self.on_bad_reply == "no-op":
            return Wait(seconds=0)
        raise NoAction(f"the model's reply holds no valid action: {reply[:200]!r}")

    def messages(self, observation):
        """The system's prompt, the goal, the last replies, and what is on the screen now."""
        if self.kind == "axtree":
            screen = [{"type": "text", "text": f"The accessibility tree:\n{observation['axtree']}"}]
        else:
            shot = observation["screenshot"]
            png = base64.b64encode(self.scaling.picture(shot) if self.scaling else shot.png).decode()
            screen = [{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{png}"}}]
        if observation.get("last_action_error"):
            screen.append({"type": "text", "text": f"The last action had no effect: {observation['last_action_error'][:500]}"})
        said = "\n\n".join(f"{n}. {reply}" for n, reply in enumerate(self.replies, 1))
        before = [{"type": "text", "text": f"Your last replies:\n{said}"}] if said else []
        return [{"role": "system", "content": self.system}, {"role": "user", "content": [*self.goal, *before, *screen]}]

    def ask(self, messages, deadline):
        """The model's text; counts tokens where the endpoint tells them."""
        body = self.client.complete({"model": self.model, "messages": messages, **self.sampling}, deadline=deadline)
        self.totals["calls"] += 1
        usage = body.get("usage")
        tokens = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")] if isinstance(usage, dict) else []
        if len(tokens) == 2 and all(type(count) is int for count in tokens):
            self.totals["prompt_tokens"] += tokens[0]
            self.totals["completion_tokens"] += tokens[1]
        else:
            self.untold = True
        content = body["choices"][0]["message"].get("content")
        if isinstance(content, list):
            content = "".join(part.get("text", "") for part in content)
        return content or ""

    def action_in(self, reply, size):
        """The action that a reply holds: its last JSON object with a type.

        Raises:
            NoAction: it holds none, or one that is not valid.
        """
        found = last_object(reply)
        if found is None:
            raise NoAction("there is no JSON object with a type in it")
        for name in ("target", "start", "end"):
            point = found.get(name)
            if self.scaling and size and isinstance(point, dict) and {"x", "y"} <= set(point):
                try:
                    point["x"], point["y"] = self.scaling.inverse(float(point["x"]), float(point["y"]), size)
                except (TypeError, ValueError):
                    raise NoAction(f"{name} is no point") from None
        if found["type"] not in self.kinds:
            raise NoAction(f"there is no action of type {found['type'][:40]!r} here")
        try:
            return parse_action(found)
        except UnsupportedAction as error:
            raise NoAction(str(error)) from None

    def close(self):
        self.client.close()


def last_object(text):
    """The last JSON object in a text that has a type and is no part of another; None if there is none."""
    decoder, found, start, text = json.JSONDecoder(), None, 0, text[-20_000:]
    while opening := re.search(r"\{", text[start:]):
        start += opening.start()
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            start += 1
            continue
        start = end
        if isinstance(value, dict) and isinstance(value.get("type"), str):
            found = value
    return found
