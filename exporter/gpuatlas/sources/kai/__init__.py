"""KAI scheduler: fractions of cards, and the reservation pods that say which card a fraction is on.

Pure readers of labels and annotations. Tenants can write all of them on their own pods, so only a
reservation pod, in the namespace that KAI keeps for these, may name a card (facts/k8s.md 1.9).
Queues and pod groups are `sources.placement`'s.
"""
