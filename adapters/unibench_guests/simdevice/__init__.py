"""A simulated Android device: a test bench for verifiers, not an environment for agents.

The shell is real: Debian's mksh and toybox, the programs that Android ships, run in a changed root. The framework's verbs
(``settings``, ``am``, ``content`` …) are Python. What it does not know fails loudly and is noted in
:attr:`SimulatedDevice.gaps`; nothing unknown succeeds.
"""

from unibench_guests.simdevice.device import Completed, NotSimulated, SimulatedDevice

__all__ = ["Completed", "NotSimulated", "SimulatedDevice"]
