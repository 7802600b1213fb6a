"""Where pictures, rounds and labels come from."""
