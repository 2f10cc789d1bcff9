from __future__ import annotations

import base64
import threading
from collections.abc import Callable
from pathlib import Path

import bcrypt
import pytest
import requests
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.runtime.exporter import Exporter
from gpuatlas.runtime.web.passwords import BusyError, PasswordChecker
from gpuatlas.runtime.web.rate import TokenBucket
from gpuatlas.runtime.web.web_config import RateLimit

Serve = Callable[..., Exporter]


def hashed(password: str, rounds: int = 4) -> str:
    return bcrypt.hashpw(password.encode(), bcrypt.gensalt(rounds)).decode()


USERS = {"alice": hashed("sesame"), "bob": hashed("älter")}


def basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


@pytest.mark.parametrize(
    ("header", "right"),
    [
        pytest.param(basic("alice", "sesame"), True, id="right"),
        pytest.param(basic("bob", "älter"), True, id="not ASCII"),
        pytest.param(basic("alice", "sesame").replace("Basic", "bAsIc"), True, id="scheme's case"),
        pytest.param(basic("alice", "Sesame"), False, id="wrong password"),
        pytest.param(basic("alice", ""), False, id="no password"),
        pytest.param(basic("bob", "sesame"), False, id="another's password"),
        pytest.param(basic("mallory", "sesame"), False, id="unknown user with a right password"),
        pytest.param(basic("", ""), False, id="nobody"),
        pytest.param(basic("alice", "x" * 500), False, id="longer than bcrypt takes"),
        pytest.param(basic("alice", "ses\0ame"), False, id="NUL inside"),
        pytest.param("", False, id="no header"),
        pytest.param("Bearer c2VzYW1l", False, id="another scheme"),
        pytest.param("Basic ???", False, id="not base64"),
        pytest.param("Basic c2VzYW1l", False, id="no colon"),
        pytest.param("Basic /////w==", False, id="not UTF-8"),
    ],
)
def test_only_a_right_pair_passes(header: str, *, right: bool) -> None:
    checker = PasswordChecker()
    assert checker.check(header, USERS) is right
    assert checker.check(header, USERS) is right


def test_without_users_nobody_passes() -> None:
    assert PasswordChecker().check(basic("alice", "sesame"), {}) is False


def test_a_right_password_is_hashed_once() -> None:
    checker = PasswordChecker(max_wait_seconds=0.01)
    assert checker.check(basic("alice", "sesame"), USERS)
    with checker._turn:
        # Nobody can hash now: only a remembered pair passes.
        assert checker.check(basic("alice", "sesame"), USERS)
        with pytest.raises(BusyError):
            checker.check(basic("alice", "wrong"), USERS)
        with pytest.raises(BusyError):
            checker.check(basic("bob", "älter"), USERS)


def test_a_changed_hash_forgets_the_old_password() -> None:
    checker = PasswordChecker()
    assert checker.check(basic("alice", "sesame"), USERS)
    changed = {**USERS, "alice": hashed("new")}
    assert not checker.check(basic("alice", "sesame"), changed)
    assert checker.check(basic("alice", "new"), changed)


def test_an_unknown_user_costs_a_hash_too() -> None:
    checker = PasswordChecker(max_wait_seconds=0.01)
    with checker._turn, pytest.raises(BusyError):
        checker.check(basic("mallory", "sesame"), USERS)


@settings(deadline=None, max_examples=50)
@given(st.text())
def test_no_header_makes_the_check_fail(header: str) -> None:
    assert PasswordChecker().check(f"Basic {header}", USERS) is False


@pytest.fixture
def protected(tmp_path: Path) -> Path:
    path = tmp_path / "web.yml"
    path.write_text(yaml.safe_dump({"basic_auth_users": USERS}))
    return path


def test_all_but_the_probes_ask_for_a_password(
    serve: Serve, protected: Path, http: requests.Session
) -> None:
    url = serve(web_config=protected).url
    for path in ("/metrics", "/", "/nothing-here"):
        answer = http.get(url + path, timeout=5)
        assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (
            401,
            'Basic realm="GPU Atlas", charset="UTF-8"',
        )
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert "gpuatlas" not in answer.text
    assert http.get(f"{url}/healthz", timeout=5).status_code == 200
    assert http.get(f"{url}/metrics", auth=("alice", "wrong"), timeout=5).status_code == 401
    welcome = http.get(f"{url}/metrics", auth=("alice", "sesame"), timeout=5)
    assert welcome.status_code == 200
    assert "gpuatlas_build_info" in welcome.text


def test_guesses_are_answered_busy_and_block_nobody(
    serve: Serve, tmp_path: Path, http: requests.Session
) -> None:
    path = tmp_path / "web.yml"
    path.write_text(yaml.safe_dump({"basic_auth_users": {"alice": hashed("sesame", rounds=10)}}))
    url = serve(web_config=path).url
    assert http.get(f"{url}/metrics", auth=("alice", "sesame"), timeout=5).status_code == 200
    codes: list[int] = []

    def guess(number: int) -> None:
        auth = ("alice", f"guess-{number}")
        codes.append(requests.get(f"{url}/metrics", auth=auth, timeout=30).status_code)

    guessers = [threading.Thread(target=guess, args=(number,)) for number in range(6)]
    for guesser in guessers:
        guesser.start()
    assert http.get(f"{url}/metrics", auth=("alice", "sesame"), timeout=5).status_code == 200
    for guesser in guessers:
        guesser.join()
    assert set(codes) <= {401, 503}
    assert 401 in codes


def test_over_the_rate_limit_the_answer_is_429(
    serve: Serve, tmp_path: Path, http: requests.Session
) -> None:
    path = tmp_path / "web.yml"
    path.write_text("rate_limit: {interval: 1h, burst: 2}")
    url = serve(web_config=path).url
    codes = [http.get(f"{url}/metrics", timeout=5).status_code for _ in range(3)]
    assert codes == [200, 200, 429]
    assert http.get(f"{url}/healthz", timeout=5).status_code == 200


def test_a_bucket_fills_with_time_up_to_its_burst() -> None:
    now = 0.0
    bucket = TokenBucket(RateLimit(10.0, 2), lambda: now)
    assert [bucket.allow() for _ in range(3)] == [True, True, False]
    now = 9.0
    assert not bucket.allow()
    now = 19.5
    assert [bucket.allow() for _ in range(2)] == [True, False]
    now = 10_000.0
    assert [bucket.allow() for _ in range(3)] == [True, True, False]
