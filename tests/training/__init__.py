"""The training runner: what holds for every training, and for the moons."""
