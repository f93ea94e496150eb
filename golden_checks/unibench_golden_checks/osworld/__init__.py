"""Golden end states for OSWorld, and nearly right ones."""
