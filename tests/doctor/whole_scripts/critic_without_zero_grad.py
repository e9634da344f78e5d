"""The discriminator's gradients are never cleared, not even those of the encoder's loss."""
import torch
from torch import nn

torch.manual_seed(0)
encoder, dis = nn.Linear(3, 3), nn.Linear(3, 1)
x, softplus = torch.randn(6, 3), nn.functional.softplus
optimizer_e = torch.optim.Adam(encoder.parameters(), 1e-3)
optimizer_d = torch.optim.Adam(dis.parameters(), 1e-3)
for _ in range(3):
    made = encoder(x)
    loss_e = (made - x).square().mean() + 0.1 * softplus(-dis(made)).mean()
    optimizer_e.zero_grad()
    loss_e.backward()
    optimizer_e.step()
    loss_d = softplus(-dis(x)).mean() + softplus(dis(encoder(x).detach())).mean()
    loss_d.backward()
    optimizer_d.step()
