"""unibench's own checks, a module a kind, over small probe protocols."""
