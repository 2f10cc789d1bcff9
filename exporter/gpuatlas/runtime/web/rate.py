"""A token bucket: how `rate_limit` of a web configuration file is kept."""

from __future__ import annotations

import threading
from collections.abc import Callable

from gpuatlas.runtime.web.web_config import RateLimit


class TokenBucket:
    """Lets `burst` requests through at once and one more each interval. Thread-safe."""

    def __init__(self, limit: RateLimit, clock: Callable[[], float]) -> None:
        self._limit = limit
        self._clock = clock
        self._tokens = float(limit.burst)
        self._filled_at = clock()
        self._lock = threading.Lock()

    def allow(self) -> bool:
        """Take a token; False where there is none."""
        with self._lock:
            now = self._clock()
            gained = (now - self._filled_at) / self._limit.interval_seconds
            self._tokens = min(self._limit.burst, self._tokens + gained)
            self._filled_at = now
            if self._tokens < 1:
                return False
            self._tokens -= 1
            return True
