"""Trainings: how one runs, what holds for every lesson that has one, and what each lesson says."""
