"""Three networks: the detector finds cards, chips and hands, the fitter places cards exactly, the reader names them.

Start at `detector.py`; `still_reader.py` applies all to one image; `deck_use.py` adds a table's own deck. Imports
`geometry` and `models.shipped`.
"""
