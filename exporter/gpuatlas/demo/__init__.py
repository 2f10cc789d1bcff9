"""A simulated cluster that speaks the real systems' wire formats. It knows nothing of our readers.

From the file to the wire: `scenario` (what there is) → `world` (one instant of it, pure) → `wire`
(its documents and pages, pure) → `server` (a Kubernetes API and exporters on loopback).
"""
