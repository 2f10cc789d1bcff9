"""Service accounts with rights that a test names, and when the server acts on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .kube_api import SETTLE_SECONDS, KubeApi, Object
from .kube_objects import KubeObjects
from .polling import poll_until

TOKEN_SECONDS = 3600


def service_account_token(
    kube: KubeObjects, name: str, rules: Sequence[Object], *, namespace: str = "default"
) -> str:
    """A one-hour token of a service account that the RBAC rules allow cluster-wide.

    Returns once the server acts on the rules. Take a new name for other rules: of rules
    taken away it cannot be seen when the server stops acting on them.
    """
    role = f"{namespace}:{name}"
    account: Object = {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": name, "namespace": namespace},
    }
    kube.apply([account, _cluster_role(role, rules), _role_binding(role, name, namespace)])
    user = f"system:serviceaccount:{namespace}:{name}"
    groups = ["system:serviceaccounts", "system:authenticated"]
    for attributes in _access_asked_for(rules):
        wait_until_allowed(kube, user, attributes, groups=groups)
    return _new_token(kube, name, namespace)


def _new_token(kube: KubeApi, account: str, namespace: str) -> str:
    request: Object = {
        "apiVersion": "authentication.k8s.io/v1",
        "kind": "TokenRequest",
        "spec": {"expirationSeconds": TOKEN_SECONDS},
    }
    path = f"{kube.resource('v1', 'ServiceAccount').path(namespace, account)}/token"
    return str(kube.request("POST", path, body=request)["status"]["token"])


def wait_until_allowed(
    kube: KubeApi, user: str, attributes: Object, *, groups: Sequence[str] = ()
) -> None:
    """The API server acts on new roles a little later.

    ``attributes`` are ``resourceAttributes`` or ``nonResourceAttributes`` of a review.
    """
    review: Object = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {"user": user, "groups": list(groups), **attributes},
    }
    path = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
    poll_until(
        lambda: kube.request("POST", path, body=review)["status"],
        lambda status: bool(status["allowed"]),
        deadline_seconds=SETTLE_SECONDS,
        waiting_for=f"the API server to allow {user} {attributes}",
    )


def _cluster_role(name: str, rules: Sequence[Object]) -> Object:
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": name},
        "rules": list(rules),
    }


def _role_binding(role: str, account: str, namespace: str) -> Object:
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": role},
        "roleRef": {
            "apiGroup": "rbac.authorization.k8s.io",
            "kind": "ClusterRole",
            "name": role,
        },
        "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": namespace}],
    }


def _access_asked_for(rules: Sequence[Object]) -> Iterator[Object]:
    """What to review so that every part of the rules is seen to be in force."""
    for rule in rules:
        verb = rule["verbs"][0]
        for path in rule.get("nonResourceURLs", ()):
            yield {"nonResourceAttributes": {"path": path, "verb": verb}}
        # With resourceNames only those names are allowed, so the review names the first.
        name = next(iter(rule.get("resourceNames", ())), "")
        for group in rule.get("apiGroups", ()):
            for resource in rule.get("resources", ()):
                plural, _, subresource = resource.partition("/")
                attributes = {
                    "group": group,
                    "resource": plural,
                    "subresource": subresource,
                    "verb": verb,
                    "name": name,
                }
                yield {"resourceAttributes": attributes}
