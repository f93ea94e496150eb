"""Agents written for other benchmarks, wrapped without importing those: told apart by the methods that they have.

| has | is taken for | written for |
|---|---|---|
| ``get_action(obs)``, or ``make_agent()`` that gives such a one | :mod:`~unibench.agents.wrappers.agentlab` | AgentLab, BrowserGym |
| ``predict(instruction, obs)`` | :mod:`~unibench.agents.wrappers.osworld` | OSWorld |
| ``step(goal)``, and a first argument ``env`` | :mod:`~unibench.agents.wrappers.android_world` | AndroidWorld |

Each says by ``observe`` and ``dialect`` what a suite must offer; a run that cannot give it is refused before it starts.
"""
