"""The page "Your own code", and the broken training step that its report is about."""
