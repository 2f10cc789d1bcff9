"""Captures: a folder that holds all that the sources would have read, and how it is read again.

Writing trims objects to what the readers use, so that no secret leaves a cluster. Reading goes
through the same projection and page parsers as a live cluster; there is no second way in.
"""
