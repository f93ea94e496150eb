"""Golden recipes for WindowsAgentArena on the path-mapped guest."""
