"""Benchmarks, accuracy measurements and generated documents: nothing here is needed to watch a table.

Start at `bench_engine.py` for speed, at `evaluate_rounds.py` for accuracy. May import every room but `cli`.
"""
