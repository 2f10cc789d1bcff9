"""The metric tables, one file per entity, and the text made of them. Pure; imports model only.

`catalogue` lists the tables, `spec` says what a row is, `render` and `page` make text of them.
"""
