"""The metric tables, one file per entity, and the text made of them. Pure; imports model only."""
