"""Right and nearly right end states of AndroidWorld's tasks, made by adb alone."""
