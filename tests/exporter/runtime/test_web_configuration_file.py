from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.runtime.web.config_section import WebConfigError
from gpuatlas.runtime.web.web_config import (
    MAX_FILE_BYTES,
    RateLimit,
    TlsConfig,
    WebConfig,
    parse_web_config,
    read_web_config,
)

HASH = "$2y$04$" + "abcdefghijklmnopqrstuv" + "0123456789012345678901234567890"
FOLDER = Path("/etc/gpuatlas")


def parse(text: str) -> WebConfig:
    return parse_web_config(yaml.safe_load(text), folder=FOLDER, name="web.yml")


def problems(text: str) -> tuple[str, ...]:
    with pytest.raises(WebConfigError) as caught:
        parse(text)
    return caught.value.problems


def test_an_empty_file_changes_nothing() -> None:
    assert parse("") == WebConfig()


def test_every_key_of_the_format_is_read() -> None:
    config = parse(
        f"""
        tls_server_config:
          cert_file: tls.crt
          key_file: /secret/tls.key
          client_auth_type: RequireAndVerifyClientCert
          client_ca_file: ca.crt
          client_allowed_sans: [prometheus.monitoring, 10.0.0.7]
          min_version: TLS13
          max_version: TLS13
          cipher_suites: [TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, TLS_AES_128_GCM_SHA256]
          prefer_server_cipher_suites: false
          curve_preferences: [CurveP256]
        http_server_config:
          http2: false
          headers:
            Strict-Transport-Security: max-age=31536000
            X-Frame-Options: ''
        basic_auth_users:
          alice: {HASH}
        rate_limit:
          interval: 1m30s
          burst: 5
        """
    )
    assert config == WebConfig(
        tls=TlsConfig(
            cert_file=FOLDER / "tls.crt",
            key_file=Path("/secret/tls.key"),
            client_auth_type="RequireAndVerifyClientCert",
            client_ca_file=FOLDER / "ca.crt",
            client_allowed_sans=("prometheus.monitoring", "10.0.0.7"),
            min_version="TLS13",
            max_version="TLS13",
            ciphers="ECDHE-RSA-AES128-GCM-SHA256",
            prefer_server_ciphers=False,
            curve="prime256v1",
        ),
        headers={"Strict-Transport-Security": "max-age=31536000", "X-Frame-Options": ""},
        users={"alice": HASH},
        rate_limit=RateLimit(90.0, 5),
    )


def test_secrets_stay_out_of_the_representation() -> None:
    config = parse(
        f"tls_server_config: {{cert: PEM, key: sesame}}\nbasic_auth_users: {{a: {HASH}}}"
    )
    assert "sesame" not in repr(config)
    assert HASH not in repr(config)


@pytest.mark.parametrize(
    ("interval", "limit"),
    [
        ("0", None),
        ('"0s"', None),
        ("250ms", RateLimit(0.25, 1)),
        ("1.5h", RateLimit(5400.0, 1)),
        ("2us", RateLimit(2e-6, 1)),
    ],
)
def test_durations_are_go_s(interval: str, limit: RateLimit | None) -> None:
    assert parse(f"rate_limit: {{interval: {interval}, burst: 1}}").rate_limit == limit


PAIR = "cert_file: c, key_file: k"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "tls_sever_config: {}",
            "web.yml: tls_sever_config: no such key in this format; "
            "did you mean tls_server_config?",
        ),
        (
            f"tls_server_config: {{{PAIR}, cert_flie: x}}",
            "web.yml: tls_server_config: cert_flie: no such key in this format; "
            "did you mean cert_file?",
        ),
        ("[1, 2]", "web.yml: must be a mapping of keys to values"),
        (
            "basic_auth_users: alice",
            "web.yml: basic_auth_users: must be a mapping of keys to values",
        ),
        (
            "tls_server_config: {cert_file: c}",
            "web.yml: tls_server_config: key_file: is missing (or key, with the PEM text itself)",
        ),
        (
            "tls_server_config: {key: k}",
            "web.yml: tls_server_config: cert_file: is missing (or cert, with the PEM text itself)",
        ),
        (
            f"tls_server_config: {{{PAIR}, cert: PEM}}",
            "web.yml: tls_server_config: cert_file: give cert_file or cert, not both",
        ),
        (
            f"tls_server_config: {{{PAIR}, client_ca_file: ca}}",
            "web.yml: tls_server_config: client_auth_type: is missing: "
            "a client CA alone asks no client for a certificate",
        ),
        (
            f"tls_server_config: {{{PAIR}, client_auth_type: RequireAndVerifyClientCert}}",
            "web.yml: tls_server_config: client_ca_file: is missing: "
            "client certificates are verified against it",
        ),
        (
            f"tls_server_config: {{{PAIR}, client_auth_type: RequireAnyClientCert}}",
            "web.yml: tls_server_config: client_auth_type: RequireAnyClientCert verifies nothing "
            "and is not supported; use RequireAndVerifyClientCert",
        ),
        (
            f"tls_server_config: {{{PAIR}, client_auth_type: NoClientcert}}",
            "web.yml: tls_server_config: client_auth_type: 'NoClientcert' is not known; "
            "did you mean NoClientCert?",
        ),
        (
            f"tls_server_config: {{{PAIR}, client_allowed_sans: [a]}}",
            "web.yml: tls_server_config: client_allowed_sans: "
            "needs client_auth_type: RequireAndVerifyClientCert",
        ),
        (
            f"tls_server_config: {{{PAIR}, client_allowed_sans: a}}",
            "web.yml: tls_server_config: client_allowed_sans: must be a list of texts",
        ),
        (
            f"tls_server_config: {{{PAIR}, min_version: SSL3}}",
            "web.yml: tls_server_config: min_version: 'SSL3' is not known; "
            "it can be TLS10, TLS11, TLS12, TLS13",
        ),
        (
            f"tls_server_config: {{{PAIR}, min_version: TLS13, max_version: TLS12}}",
            "web.yml: tls_server_config: min_version: is above max_version",
        ),
        (
            f"tls_server_config: {{{PAIR}, prefer_server_cipher_suites: maybe}}",
            "web.yml: tls_server_config: prefer_server_cipher_suites: must be true or false",
        ),
        (
            f"tls_server_config: {{{PAIR}, curve_preferences: [CurveP256, X25519]}}",
            "web.yml: tls_server_config: curve_preferences: one curve at most is supported; "
            "leave the key out for OpenSSL's own order",
        ),
        (
            f"tls_server_config: {{{PAIR}, curve_preferences: [P9]}}",
            "web.yml: tls_server_config: curve_preferences: 'P9' is not known; "
            "it can be CurveP256, CurveP384, CurveP521, X25519",
        ),
        (
            "http_server_config: {headers: {X-Powered-By: us}}",
            "web.yml: http_server_config: headers: X-Powered-By: no such key in this format",
        ),
        (
            "http_server_config: {headers: {X-Frame-Options: never}}",
            "web.yml: http_server_config: headers: X-Frame-Options: must be deny or sameorigin",
        ),
        (
            'http_server_config: {headers: {X-XSS-Protection: "1\\r\\nSet-Cookie: a"}}',
            "web.yml: http_server_config: headers: X-XSS-Protection: must be a single line",
        ),
        (
            "basic_auth_users: {alice: sesame}",
            "web.yml: basic_auth_users: alice: is no bcrypt hash; "
            "make one with `htpasswd -nBC 10 NAME`",
        ),
        (
            f'basic_auth_users: {{"a:b": {HASH}}}',
            "web.yml: basic_auth_users: a:b: a user name cannot contain a colon",
        ),
        (
            "rate_limit: {interval: soon, burst: 1}",
            'web.yml: rate_limit: interval: \'soon\' is no duration: write "1s" or "250ms"',
        ),
        (
            "rate_limit: {interval: 1s}",
            "web.yml: rate_limit: burst: must be at least 1, or no request is ever answered",
        ),
        (
            "rate_limit: {interval: 1s, burst: many}",
            "web.yml: rate_limit: burst: must be a whole number",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_place(text: str, problem: str) -> None:
    assert problem in problems(text)


def test_an_invented_cipher_is_refused_with_those_there_are() -> None:
    (problem,) = problems(f"tls_server_config: {{{PAIR}, cipher_suites: [TLS_MAGIC]}}")
    assert problem.startswith(
        "web.yml: tls_server_config: cipher_suites: 'TLS_MAGIC' is not known; it can be TLS_ECDHE_"
    )


def test_all_problems_come_at_once() -> None:
    assert len(problems("tls_server_config: {min_version: 3}\nrate: {}\nbasic_auth_users: 1")) == 5


def test_files_that_are_no_configuration(tmp_path: Path) -> None:
    missing, broken, large = tmp_path / "none.yml", tmp_path / "bad.yml", tmp_path / "large.yml"
    broken.write_text("a: [1,\n b: }")
    large.write_bytes(b"#" * (MAX_FILE_BYTES + 1))
    for path, problem in (
        (missing, f"{missing}: cannot be read: No such file or directory"),
        (tmp_path, f"{tmp_path}: cannot be read: Is a directory"),
        (large, f"{large}: is larger than 1048576 bytes"),
    ):
        with pytest.raises(WebConfigError) as caught:
            read_web_config(path)
        assert caught.value.problems == (problem,)
    with pytest.raises(WebConfigError, match="is no YAML"):
        read_web_config(broken)


def test_yaml_tags_run_nothing(tmp_path: Path) -> None:
    path = tmp_path / "web.yml"
    path.write_text("basic_auth_users: !!python/object/apply:os.getcwd []")
    with pytest.raises(WebConfigError, match="is no YAML"):
        read_web_config(path)


KEYS = (
    "tls_server_config http_server_config headers basic_auth_users rate_limit cert_file key "
    "min_version interval burst cipher_suites http2 client_auth_type x"
)
keys = st.sampled_from(KEYS.split())
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None, max_examples=300)
@given(st.dictionaries(keys, values, max_size=4))
def test_any_document_is_a_configuration_or_a_list_of_problems(document: Any) -> None:
    try:
        config = parse_web_config(document, folder=FOLDER, name="web.yml")
    except WebConfigError as error:
        assert error.problems  # noqa: PT017 - either outcome is right
    else:
        assert config.rate_limit is None or config.rate_limit.interval_seconds > 0


@settings(deadline=None, max_examples=100)
@given(st.binary(max_size=200))
def test_any_file_is_a_configuration_or_a_list_of_problems(
    tmp_path_factory: pytest.TempPathFactory, body: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.yml"
    path.write_bytes(body)
    try:
        read_web_config(path)
    except WebConfigError as error:
        assert error.problems  # noqa: PT017 - either outcome is right
