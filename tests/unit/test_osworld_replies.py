"""What the box's jobs say is what the host takes: the two files know of each other's fields by this test alone."""

from __future__ import annotations

import json
import sys
import types
from typing import Any

import pytest

from unibench_osworld.grader import jobs
from unibench_osworld.grader.client import checked


class Answer:
    def __init__(self, status: int, value: Any) -> None:
        self.status_code, self.value, self.text = status, value, json.dumps(value)

    def json(self) -> Any:
        return self.value


class Request:
    method = "POST"

    def __init__(self, path: str, body: Any = None, host: str = jobs.SERVER) -> None:
        self.url, self.body = f"http://{host}{path}", json.dumps(body)


def watched(monkeypatch: pytest.MonkeyPatch, *sent: tuple[Request, Answer | Exception]) -> list[dict[str, Any]]:
    """The exchanges that the box's own watcher makes of these."""
    answers = iter(answer for _, answer in sent)

    class Session:
        def send(self, request: Request) -> Answer:
            answer = next(answers)
            if isinstance(answer, Exception):
                raise answer
            return answer

    monkeypatch.setitem(sys.modules, "requests", types.SimpleNamespace(Session=Session, RequestException=OSError))  # type: ignore[arg-type]
    exchanges = jobs.Exchanges()
    exchanges.watch()
    for request, answer in sent:
        if isinstance(answer, Exception):
            with pytest.raises(OSError):
                Session().send(request)
        else:
            Session().send(request)
    return exchanges.seen


def test_every_exchange_that_the_box_sees_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = watched(
        monkeypatch,
        (Request("/setup/execute", {"command": ["ls", "-l"], "shell": False}), Answer(200, {"returncode": 0, "error": ""})),
        (Request("/execute", {"command": "ls"}), Answer(500, {"message": "no"})),
        (Request("/execute", ["no command"]), Answer(200, ["nonsense"])),
        (Request("/screenshot"), Answer(404, "none")),
        (Request("/", host="example.org"), OSError("no network")),
    )
    assert [each.get("command") for each in seen] == ["ls -l", "ls", None, None, None]
    result = {"value": 1.0, "parts": [], "exchanges": seen}
    assert checked({"id": 1, "log": "", "result": result})["result"] == result


def test_every_part_that_the_box_records_is_taken() -> None:
    def getter(*args: Any) -> str:
        return "found"

    def fails(*args: Any) -> str:
        raise ValueError("not there")

    env = types.SimpleNamespace(
        result_getter=[getter, fails], expected_getter=[getter, None], metric=[lambda *args: 1.0, lambda *args: "x"]
    )
    parts: list[dict[str, Any]] = []
    jobs.watch_parts(env, parts)
    assert env.result_getter[0](env, {}) == "found"
    with pytest.raises(ValueError):
        env.result_getter[1](env, {})
    assert env.metric[0]("found", "found") == 1.0
    assert parts[1]["raised"] == "ValueError: not there"
    assert checked({"id": 1, "log": "", "result": {"value": 0.0, "parts": parts, "exchanges": []}})["result"]["parts"] == parts


def test_an_answer_with_anything_else_is_none() -> None:
    assert checked({"id": 1, "log": "", "result": {"exchanges": [], "more": 1}})["error"]["type"] == "GraderDied"
