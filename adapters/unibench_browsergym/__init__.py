"""BrowserGym's benchmarks as unibench suites. Importing this imports no upstream."""
