"""dcgm-exporter, versions 3.x to 4.8: its metrics as `model.pages.DcgmPage`.

Pure: samples in, pages out; the text is read by `sources.exposition`, and the way to it is
`sources.scrape` or `sources.promapi`. Facts: facts/dcgm.md 0 to 3, facts/errata.md (DCGM).
"""
