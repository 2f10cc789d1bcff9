"""The edge: the only layer that does I/O. It may import model only.

In each source `client` modules do I/O and return raw bytes or JSON; `parse` modules are pure, raise
nothing but `model.rejections.MalformedError`, and turn one record into one value of the model.
"""
