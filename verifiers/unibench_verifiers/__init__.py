"""unibench's own checks, a module a kind, over small probe protocols. For tasks that have no upstream check to import."""
