"""The adversarial term is turned into a number before it is added to the loss."""
import torch
from torch import nn

torch.manual_seed(0)
recon, critic = nn.Linear(4, 4), nn.Linear(4, 1)
image, full = torch.randn(6, 4), torch.randn(6, 4)
optimizer_g = torch.optim.Adam(recon.parameters(), 1e-3)
for _ in range(3):
    made = recon(image)
    loss_rec = nn.functional.l1_loss(made, full)
    score = critic(made)
    loss_adv = nn.functional.mse_loss(score, torch.ones_like(score)).detach().cpu().item()
    loss = loss_rec + 0.1 * loss_adv
    optimizer_g.zero_grad()
    loss.backward()
    optimizer_g.step()
