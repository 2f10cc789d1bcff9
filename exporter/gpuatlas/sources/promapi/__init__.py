"""The second way to the same pages: a Prometheus that scrapes the exporters already.

Works with the HTTP API of Prometheus and of what speaks it (Thanos, Mimir, VictoriaMetrics).
`client` does the queries, `targets` and `scrapes` put back together what each endpoint said in its
last scrape, `endpoints` has it parsed (all three pure), `reader` does a round. The parsers are
those of the direct way, and so are the pages.
"""
