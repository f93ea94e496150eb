"""The machines that several suites drive: a local desktop in a sandbox, a client of guests' REST API, and a box for untrusted code."""
