"""How to construct right (and nearly right) end states: a module a suite."""
