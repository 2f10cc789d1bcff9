"""The HTTP side of `gpuatlas serve`: what a scraper, a probe and a browser get.

It may read the last page and the last statuses; it must not read a source or build a snapshot: a
scrape costs a copy, whatever happens behind it.
"""
