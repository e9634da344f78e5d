"""A reentrant checkpoint gets an input without a gradient, since the embedding is frozen."""
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
embeddings, layers = nn.Embedding(9, 4), nn.ModuleList(nn.Linear(4, 4) for _ in range(2))
ids = torch.randint(9, (3, 5))
for param in embeddings.parameters():
    param.requires_grad = False
optimizer = torch.optim.Adam(layers.parameters(), 1e-3)
for _ in range(2):
    h = embeddings(ids)
    for layer in layers:
        h = checkpoint(layer, h, use_reentrant=True)
    loss = h.square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
