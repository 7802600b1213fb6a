"""The two networks: the detector finds cards, chips and hands; the reader names cards.

Start at `detector.py`; `still_reader.py` applies both to one image. Imports `geometry` and `models.shipped`.
"""
