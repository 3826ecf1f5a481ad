"""Weights, test data and recipe of the fusion demo's models."""
