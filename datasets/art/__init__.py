"""What scenes are made of, drawn or fetched: cards, felts, chips and hands, one folder each.

Start at `cards/decks.py`. No modules of its own; its folders import `drawing`, `common` and `sources`.
"""
