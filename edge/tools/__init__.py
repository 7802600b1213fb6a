"""Benchmarks, accuracy measurements and generated documents: nothing here is needed to watch a table."""
