"""The networks: shipped weights, training and evaluation.

`shipped/` is all that the product needs; start at `shipped/registry.py`.
"""
