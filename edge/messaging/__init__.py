"""MQTT: message types, encoding, sending in order of priority, and commands that come in.

Start at `schema.py` for the types, `encode.py` for the topics and `outbox.py` for how they leave. Imports `config`,
`journal` and the events and verdicts of `engine`.
"""
