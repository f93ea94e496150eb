"""A paper notebook as a suite: the static face, which imports no upstream."""

from unibench.settings import Settings, Substrate, setting
from unibench.suite import Offers, SuiteFace


class NotebookSettings(Settings):
    """How the notebook is run."""

    autosave: bool = setting(False, upstream=False, affects_scores=True, description="keep every change without pressing Save")
    spawn_variable: bool = setting(True, upstream=True, affects_scores=False, description="set NOTEBOOK_HOME when the process is spawned")


def offers(settings: Settings) -> Offers:
    return Offers(
        actions=("click", "type", "answer", "done", "infeasible", "native"),
        dialects=("notebook",),
        observations={"html": "text", "url": "text", "notes": "json"},
        screen=(320, 240),
    )


def environment(settings: Settings) -> dict[str, str]:
    assert isinstance(settings, NotebookSettings)
    return {"NOTEBOOK_HOME": "memory:"} if settings.spawn_variable else {}


FACE = SuiteFace(
    name="notebook",
    title="Notebook (example)",
    summary="five tasks in a paper notebook, each a hard case of the contract",
    suite="unibench_notebook.suite:NotebookSuite",
    settings=NotebookSettings,
    offers=offers,
    observe=("html", "url"),
    substrates=(Substrate(name="memory", fidelity="official"),),
    environment=environment,
    sessions_a_process=4,
    call_seconds={"*": 10.0},
)
