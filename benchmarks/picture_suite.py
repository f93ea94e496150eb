"""A suite of one task that only shows a picture of 1920x1080 pixels: what is left of a step is the wire."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
from PIL import Image

from unibench.actions import Action
from unibench.observations import Observation, Screenshot
from unibench.settings import Settings, Substrate
from unibench.suite import ActionResult, Offers, Session, Suite, SuiteFace
from unibench.task import Brief, Budget, Instance, InstanceSpec, Task, Text
from unibench.verdict import Source, Verdict, VerifierDescriptor

SIZE = (1920, 1080)


@cache
def picture() -> bytes:
    """A PNG of about a megabyte, as a desktop with a photograph in a window has."""
    draw = np.random.default_rng(0)
    pixels = np.full((SIZE[1], SIZE[0], 3), 240, np.uint8)
    pixels[300:800, 400:1100] = draw.integers(0, 256, (500, 700, 3), np.uint8)
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, "png", compress_level=1)
    return stream.getvalue()


def offers(settings: Settings) -> Offers:
    return Offers(actions=("click",), observations={"screenshot": "image"}, screen=SIZE)


FACE = SuiteFace(
    name="picture",
    title="Picture (benchmark)",
    summary="shows a picture",
    suite="picture_suite:PictureSuite",
    settings=Settings,
    offers=offers,
    observe=("screenshot",),
    substrates=(Substrate(name="memory", fidelity="official"),),
)


class PictureSession(Session):
    """Shows the picture."""

    handle = None
    substrate = FACE.substrate()

    def reset(self, spec: InstanceSpec) -> Instance:
        return Instance(
            spec=spec,
            brief=Brief(
                suite="picture",
                task=spec.task,
                goal=(Text(text="Look."),),
                actions=("click",),
                dialects=(),
                observations=("screenshot",),
                screen=SIZE,
                budget=Budget(),
            ),
        )

    def observe(self, names: Sequence[str]) -> Observation:
        return Observation({"screenshot": Screenshot(picture())})

    def act(self, action: Action) -> ActionResult:
        return ActionResult()

    def verify(self) -> Verdict:
        return Verdict.of(PictureSuite().describe("look", Settings()), 0.0)

    def close(self) -> None:
        pass


class PictureSuite(Suite):
    """One task."""

    name = "picture"

    def upstream(self) -> Mapping[str, str]:
        return {}

    def tasks(self) -> Sequence[Task]:
        return [Task(suite="picture", id="look", instruction="Look.")]

    def draw(self, task: str, seed: int, index: int = 0) -> InstanceSpec:
        return InstanceSpec(suite="picture", task=task, seed=seed, index=index, params={})

    def describe(self, task: str, settings: Settings) -> VerifierDescriptor:
        return VerifierDescriptor(
            kind="page-state",
            name=task,
            implementation="picture_suite:PictureSession.verify",
            owner="unibench",
            sources=(Source(project="unibench", package="unibench-gui", version="0", path="benchmarks/picture_suite.py"),),
            scale="binary",
            when="end",
            reads=("nothing",),
        )

    def open(self, settings: Settings, substrate: str) -> Session:
        return PictureSession()
