from __future__ import annotations

import threading
from collections.abc import MutableMapping
from typing import cast

import pytest

from gpuatlas.sources.kubernetes.store import ObjectStore

Thing = tuple[str, int]


def thing(number: int) -> Thing:
    """A new object each time, equal to the others of its number."""
    return ("thing", number)


def test_a_view_does_not_change_and_is_the_same_until_something_does() -> None:
    store: ObjectStore[Thing] = ObjectStore()
    store.put("a", "1", thing(1))
    before = store.view()
    assert store.view() is before
    store.put("b", "2", thing(2))
    after = store.view()
    assert dict(before.objects) == {"a": thing(1)}
    assert dict(after.objects) == {"a": thing(1), "b": thing(2)}
    assert after.version > before.version


def test_a_view_cannot_be_written_to() -> None:
    store: ObjectStore[Thing] = ObjectStore()
    store.put("a", "1", thing(1))
    with pytest.raises(TypeError):
        cast("MutableMapping[str, Thing]", store.view().objects)["b"] = thing(2)


def test_an_equal_object_stays_the_same_object_and_is_no_change() -> None:
    store: ObjectStore[Thing] = ObjectStore()
    first = thing(1)
    store.put("a", "1", first)
    before = store.view()
    store.put("a", "2", thing(1))
    assert store.view() is before
    store.replace({"a": ("3", thing(1))})
    assert store.view() is before
    assert store.view().objects["a"] is first
    assert store.known("a", "3") is first


def test_a_list_replaces_everything_at_once_and_keeps_what_is_unchanged() -> None:
    store: ObjectStore[Thing] = ObjectStore()
    kept = thing(1)
    store.replace({"a": ("1", kept), "b": ("2", thing(2)), "c": ("3", thing(3))})
    store.replace({"a": ("1", thing(1)), "b": ("4", thing(20)), "d": ("5", thing(4))})
    view = store.view().objects
    assert dict(view) == {"a": thing(1), "b": thing(20), "d": thing(4)}
    assert view["a"] is kept


def test_an_object_is_known_by_its_resource_version() -> None:
    store: ObjectStore[Thing] = ObjectStore()
    store.put("a", "1", thing(1))
    assert store.known("a", "1") == thing(1)
    assert store.known("a", "2") is None
    assert store.known("b", "1") is None
    store.put("a", "", thing(1))
    assert store.known("a", "") is None


def test_removing_forgets_and_removing_again_is_no_change() -> None:
    store: ObjectStore[Thing] = ObjectStore()
    store.put("a", "1", thing(1))
    store.remove("a")
    before = store.view()
    assert dict(before.objects) == {}
    assert store.known("a", "1") is None
    store.remove("a")
    assert store.view() is before


def test_changes_are_told_and_only_changes() -> None:
    told: list[int] = []
    store: ObjectStore[Thing] = ObjectStore(lambda: told.append(1))
    store.put("a", "1", thing(1))
    store.put("a", "2", thing(1))
    store.replace({"a": ("3", thing(1))})
    assert len(told) == 1
    store.put("a", "4", thing(2))
    store.replace({})
    store.remove("a")
    assert len(told) == 3


def test_the_listener_may_look_at_the_store() -> None:
    seen: list[int] = []
    store: ObjectStore[Thing] = ObjectStore(lambda: seen.append(len(store.view().objects)))
    store.put("a", "1", thing(1))
    store.replace({})
    assert seen == [1, 0]


def test_readers_never_see_half_a_list() -> None:
    store: ObjectStore[Thing] = ObjectStore()
    sizes: set[int] = set()
    lists = [
        {str(n): (str(n), thing(n + offset)) for n in range(size)}
        for offset, size in ((0, 50), (1000, 80))
    ]
    store.replace(lists[0])
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            view = store.view().objects
            sizes.add(len(view))
            assert len({value[1] - int(key) for key, value in view.items()}) == 1

    reader = threading.Thread(target=read)
    reader.start()
    for turn in range(300):
        store.replace(lists[turn % 2])
    done.set()
    reader.join()
    assert sizes <= {50, 80}
