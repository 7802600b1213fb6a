"""Si Ki Pi: four cards each, set as a Low Hand and a High Hand, against the dealer's."""
