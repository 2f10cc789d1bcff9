from __future__ import annotations

import threading
from typing import Any

import pytest

from gpuatlas.demo.api.store import FIRST_REVISION, ExpiredError, ObjectStore

Document = dict[str, Any]


def pod(name: str, *, uid: str = "", phase: str = "Running", namespace: str = "n") -> Document:
    return {
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "uid": uid or f"uid-{name}"},
        "status": {"phase": phase},
    }


def changes(store: ObjectStore, after: int) -> list[tuple[str, str]]:
    events, _ = store.wait(after, 0)
    return [(event.kind, event.document["metadata"]["name"]) for event in events]


@pytest.fixture
def store() -> ObjectStore:
    store = ObjectStore(history=8)
    store.replace({"pods": [pod("a"), pod("b")]})
    return store


def test_each_object_has_the_revision_of_its_last_change(store: ObjectStore) -> None:
    store.replace({"pods": [pod("a"), pod("b", phase="Failed")]})
    snapshot = store.snapshot("pods")
    versions = [item["metadata"]["resourceVersion"] for item in snapshot.items]
    assert versions == [str(FIRST_REVISION + 1), str(FIRST_REVISION + 3)]
    assert snapshot.revision == FIRST_REVISION + 3


def test_what_differs_becomes_events(store: ObjectStore) -> None:
    before = store.snapshot("pods").revision
    store.replace({"pods": [pod("b", phase="Failed"), pod("c")]})
    assert changes(store, before) == [("DELETED", "a"), ("MODIFIED", "b"), ("ADDED", "c")]


def test_the_same_objects_again_change_nothing(store: ObjectStore) -> None:
    before = store.snapshot("pods")
    store.replace({"pods": [pod("a"), pod("b")]})
    assert store.snapshot("pods") is before
    assert changes(store, before.revision) == []


def test_another_object_of_the_same_name_is_deleted_and_added(store: ObjectStore) -> None:
    before = store.snapshot("pods").revision
    store.replace({"pods": [pod("a", uid="new"), pod("b")]})
    assert changes(store, before) == [("DELETED", "a"), ("ADDED", "a")]


def test_the_documents_that_were_handed_over_stay_as_they_are() -> None:
    document = pod("a")
    ObjectStore().replace({"pods": [document]})
    assert "resourceVersion" not in document["metadata"]


def test_an_earlier_snapshot_can_be_read_again(store: ObjectStore) -> None:
    before = store.snapshot("pods")
    store.replace({"pods": []})
    assert store.snapshot("pods").items == ()
    assert store.snapshot_at("pods", before.revision) is before


def test_a_snapshot_that_was_never_taken_is_expired(store: ObjectStore) -> None:
    with pytest.raises(ExpiredError):
        store.snapshot_at("pods", FIRST_REVISION)


def test_only_so_many_snapshots_are_kept(store: ObjectStore) -> None:
    first = store.snapshot("pods").revision
    for number in range(20):
        store.replace({"pods": [pod(f"p{number}")]})
        store.snapshot("pods")
    with pytest.raises(ExpiredError):
        store.snapshot_at("pods", first)


def test_events_that_are_forgotten_are_not_left_out_silently(store: ObjectStore) -> None:
    before = store.snapshot("pods").revision
    for number in range(5):
        store.replace({"pods": [pod(f"p{number}")]})
    with pytest.raises(ExpiredError):
        store.wait(before, 0)


def test_history_is_complete_up_to_its_bound(store: ObjectStore) -> None:
    before = store.snapshot("pods").revision
    store.replace({"pods": [pod(name) for name in "abcdefghij"]})
    assert len(changes(store, before)) == 8


def test_forgotten_history_expires_watches_and_pages(store: ObjectStore) -> None:
    before = store.snapshot("pods").revision
    store.replace({"pods": []})
    store.forget_history()
    with pytest.raises(ExpiredError):
        store.wait(before, 0)
    with pytest.raises(ExpiredError):
        store.snapshot_at("pods", before)


def test_a_revision_from_another_server_is_expired(store: ObjectStore) -> None:
    with pytest.raises(ExpiredError):
        store.wait(FIRST_REVISION + 999, 0)


def test_waiting_ends_with_a_change_or_with_the_server(store: ObjectStore) -> None:
    before = store.snapshot("pods").revision
    got: list[int] = []

    def watch() -> None:
        events, revision = store.wait(before, 60)
        got.append(len(events))
        store.wait(revision, 60)
        got.append(-1)

    thread = threading.Thread(target=watch)
    thread.start()
    store.replace({"pods": [pod("a")]})
    store.close()
    thread.join(timeout=30)
    assert got == [1, -1]
    assert store.closed


def test_one_object_can_be_had(store: ObjectStore) -> None:
    found = store.get("pods", ("n", "a"))
    assert found
    assert found["metadata"]["uid"] == "uid-a"
    assert store.get("pods", ("other", "a")) is None


# Objects with a field that changes all the time


def lease(renewed: str, holder: str = "a") -> Document:
    return {
        "kind": "Lease",
        "metadata": {"name": "l", "namespace": "n", "uid": "uid-l"},
        "spec": {"holderIdentity": holder, "renewTime": renewed},
    }


LEASES = "leases.coordination.k8s.io"


def test_a_renewal_is_no_event_and_is_there_when_it_is_read() -> None:
    store = ObjectStore()
    store.replace({LEASES: [lease("1")]})
    before = store.snapshot(LEASES)
    store.replace({LEASES: [lease("2")]})
    after = store.snapshot(LEASES)
    assert after.revision == before.revision
    assert changes(store, before.revision) == []
    assert [item["spec"]["renewTime"] for item in before.items] == ["1"]
    assert [item["spec"]["renewTime"] for item in after.items] == ["2"]
    found = store.get(LEASES, ("n", "l"))
    assert found
    assert found["spec"]["renewTime"] == "2"
    versions = {s.items[0]["metadata"]["resourceVersion"] for s in (before, after)}
    assert versions == {str(before.revision)}


def test_another_holder_is_an_event() -> None:
    store = ObjectStore()
    store.replace({LEASES: [lease("1")]})
    before = store.snapshot(LEASES).revision
    store.replace({LEASES: [lease("1", holder="b")]})
    assert changes(store, before) == [("MODIFIED", "l")]


def test_a_renewal_leaves_what_is_paged_through_alone() -> None:
    store = ObjectStore()
    store.replace({LEASES: [lease("1")], "pods": [pod("a")]})
    paged = store.snapshot("pods")
    store.replace({LEASES: [lease("2")], "pods": [pod("a")]})
    assert store.snapshot_at("pods", paged.revision) is paged
