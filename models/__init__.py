"""The networks: shipped weights, training and evaluation.

`shipped/` is all that the product needs; start at `shipped/registry.py`. Training and evaluation import `datasets` and
`vision`; `files.py` imports nothing of ours, and every package but `engine` may import it.
"""
