"""Everything that touches the world: commands, files, and later cameras and brokers."""
