"""The errors a dealer or a player can be asked to commit, by their codes."""
