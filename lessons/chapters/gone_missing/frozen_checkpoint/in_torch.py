"""A checkpoint around layers with adapters, under a frozen embedding: who gets a gradient?"""

import json

import torch
import torch.utils.checkpoint

way = "reentrant"  # use_reentrant=True; other (right): False; off: no checkpoint
lookup = "frozen"  # the embedding; or woken: its output asks for a gradient; or trained
since = 1  # the first layer that is checkpointed
value = 1.5  # what the embedding holds
dtype = torch.float64
checkpoint = torch.utils.checkpoint.checkpoint


def adapted(frozen, adapter):
    return lambda x: torch.tanh((frozen + adapter) * x)


def frozen_checkpoint(embedding, layers, head, way, lookup, since):
    x = embedding[0]
    if lookup == "woken":
        x.requires_grad_()
    for number, layer in enumerate(layers, start=1):
        if way == "off" or number < since:
            x = layer(x)
        else:
            x = checkpoint(layer, x, use_reentrant=way == "reentrant")
    return (head * x - 1) ** 2


if __name__ == "__main__":
    weights = [torch.tensor(one, dtype=dtype, requires_grad=True) for one in (0.0, 0.0, 0.5)]
    embedding = torch.tensor([value], dtype=dtype, requires_grad=lookup == "trained")
    layers = [adapted(frozen, adapter) for frozen, adapter in zip((0.6, 0.9), weights)]
    loss = frozen_checkpoint(embedding, layers, weights[-1], way, lookup, since)
    loss.backward()
    found = [one.grad for one in (embedding, *weights)]
    gradients = [0.0 if one is None else one.sum().item() for one in found]
    print(json.dumps(result := {"forward": [loss.item()], "trick_gradient": gradients}))
