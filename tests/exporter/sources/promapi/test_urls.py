"""URLs at which a Prometheus can be asked, and why at others none can."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.sources.promapi.settings import problem_of_url

CHARACTER = (
    "has a blank, a line break or another invisible character: leave it out, or write a blank that "
    "belongs there as %20"
)
BEGINNING = "must begin with http:// or https:// and name a host"
SECOND_AT = (
    "has an @ behind its host: write a /, ?, # or @ of a user name, a password or a path as %2F, "
    "%3F, %23 or %40"
)
BACKSLASH = "has a \\: write / where a path has it, and %5C where a user name or a password has it"
PORT = "must have a port from 1 to 65535 behind its host, or none"
QUERY = (
    "has a query: end it before the ?, since /api/v1 is put behind it; a token belongs into the "
    "file of --prometheus-bearer-token-file"
)
FRAGMENT = "has a fragment: end it before the #, since /api/v1 is put behind it"
API = "ends with /api/v1, which is put behind it: leave that out"


@pytest.mark.parametrize(
    "url",
    [
        "http://prometheus",
        "HTTPS://prometheus/",
        "http://prometheus:9090/prefix//",
        "http://prometheus:65535",
        "http://prometheus:",
        "http://[2001:db8::1]:9090",
        "http://me:s3cret@prometheus:9090/prefix",
        "http://me:s3cret%2F%3F%23%40%20x@prometheus",
        "http://DOMAIN%5Cme:s3cret@prometheus",
        "https://mimir/a%20path/prometheus",
        "https://mimir/api/v1/prometheus",
        "http://prométheus/préfixe",
    ],
)
def test_usable(url: str) -> None:
    assert problem_of_url(url) == ""


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("", BEGINNING),
        ("prometheus:9090", BEGINNING),
        ("ftp://prometheus", BEGINNING),
        ("http://", BEGINNING),
        ("http:///prefix", BEGINNING),
        ("http://:9090", BEGINNING),
        ("http://me:s3cret@", BEGINNING),
        ("http://[prometheus", BEGINNING),
        ("http://me:s3cret@[prometheus", BEGINNING),
        ("http://prometheus:0", PORT),
        ("http://prometheus:65536", PORT),
        ("http://prometheus:-1", PORT),
        ("http://prometheus:web", PORT),
        ("http://prometheus?", QUERY),
        ("http://prometheus/?token=s3cret", QUERY),
        ("http://me:s3cret@prometheus?dedup=true", QUERY),
        ("http://prometheus/?a#b", QUERY),
        ("http://prometheus#", FRAGMENT),
        ("http://me:s3cret@prometheus/#s3cret", FRAGMENT),
        ("http://prometheus/#a?b", FRAGMENT),
        ("http://prometheus/api/v1", API),
        ("http://me:s3cret@mimir/prometheus/api/v1//", API),
        # Parts of the password would stand in the path, the query or the fragment.
        ("http://me:9/s3cret@prometheus", SECOND_AT),
        ("http://me:9?s3cret@prometheus", SECOND_AT),
        ("http://me:9#s3cret@prometheus", SECOND_AT),
        ("http://me:s3/cret@prometheus", SECOND_AT),
        ("http://prometheus/@team", SECOND_AT),
        # The client would ask DOMAIN, me and prometheus.
        ("http://DOMAIN\\me:s3cret@prometheus", BACKSLASH),
        ("http://me:12\\34@prometheus", BACKSLASH),
        ("http://prometheus\\@mimir", BACKSLASH),
        ("http:\\\\prometheus", BACKSLASH),
        # urlsplit() would leave some of these out without a word.
        (" http://prometheus", CHARACTER),
        ("http://prometheus ", CHARACTER),
        ("http://prometheus\n", CHARACTER),
        ("http://prome\ttheus", CHARACTER),
        ("http://prometheus/a path", CHARACTER),
        ("http://me:s3 cret@prometheus", CHARACTER),
        ("http://prometheus\x00", CHARACTER),
        ("http://prometheus\x7f", CHARACTER),
        ("http://prometheus\u00a0", CHARACTER),
        ("http://prometheus\u200b", CHARACTER),
        ("http://prometheus\udcff", CHARACTER),  # a byte that is no UTF-8
    ],
)
def test_what_is_wrong_and_what_to_write(url: str, problem: str) -> None:
    assert problem_of_url(url) == problem


@given(st.text(st.characters() | st.sampled_from("?#@/:\\ \n%[]")))
@settings(deadline=None, max_examples=300)
def test_what_follows_the_host_is_a_path_or_refused(rest: str) -> None:
    found = problem_of_url(f"http://prometheus{rest}")
    assert found in {"", CHARACTER, BACKSLASH, BEGINNING, SECOND_AT, PORT, QUERY, FRAGMENT, API}
    if not found:
        assert not {"?", "#", "\\", " ", "\n"} & set(rest)
