"""The gradients are clipped inside the training step, before there are any."""
import torch
from torch import nn

torch.manual_seed(0)
world, batch = nn.Linear(4, 4), 30 * torch.randn(8, 4)
optimizer = torch.optim.AdamW(world.parameters(), 1e-3)


def training_step(batch):
    loss = (world(batch) - batch).square().mean()
    nn.utils.clip_grad_norm_(world.parameters(), 0.1)
    return loss


for _ in range(3):
    loss = training_step(batch)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
