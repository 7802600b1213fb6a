"""The one way from frames to verdicts, live and recorded: cameras are fused, gaps are judged, the engine is fed.

Start at `table_pipeline.py`. Imports `config`, `vision` and `engine`; `service`, `replay` and `tools` are built on it.
"""
