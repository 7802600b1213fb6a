"""What lies in the cache: art fetched and drawn, listed, and searched for leaks between splits. Start at `fetch.py`."""
