"""Where art comes from: the manifest of licences and splits, downloads, and the search for leaks between splits."""
