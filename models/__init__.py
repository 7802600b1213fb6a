"""The shipped networks and how they are made."""
