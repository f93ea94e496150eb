"""An agent in about twenty lines: clicks the first element whose name is quoted in the goal, then says that it is done.

unibench run miniwob -a first_match:FirstMatch -t 'click-*'      # in this folder
"""

import re

from unibench.actions import Action, Click, Done, Element
from unibench.agents import Brief, Observation


class FirstMatch:
    def reset(self, brief: Brief) -> None:
        self.wanted = re.findall(r'"(.+?)"', brief.text) or re.findall(r"button (\w+)", brief.text) or ["Click Me!"]

    def act(self, observation: Observation) -> Action:
        while self.wanted:
            name = self.wanted.pop(0)
            for ref, shown in re.findall(r"\[(\w+)\] \w+ '(.*?)'", observation["axtree"]):
                if shown == name:
                    return Click(target=Element(ref=ref))
        return Done()
