"""Dynamic Resource Allocation: cards from ResourceSlices, and who holds them from ResourceClaims.

Pure readers of resource.k8s.io v1, v1beta2 and v1beta1 objects: raw JSON in, model values and
rejections out, `MalformedError` for an object that cannot be identified. `drivers` is the table of
what each vendor's driver writes; other drivers' devices (network cards, memory) are no cards and
are left out. Slices are written by drivers, claims' specs and configurations by tenants.
"""
