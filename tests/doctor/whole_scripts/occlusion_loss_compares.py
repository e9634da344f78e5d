"""A registration's occlusion loss is a mean of comparisons, so it is a constant."""
import torch
from torch import nn

torch.manual_seed(0)
model, fixed, moving = nn.Conv1d(2, 2, 3, padding=1), torch.randn(3, 1, 8), torch.randn(3, 1, 8)
optimizer = torch.optim.Adam(model.parameters(), 1e-4)
for _ in range(2):
    flow = model(torch.cat([fixed, moving], 1))
    forward, backward = flow[:, :1], flow[:, 1:]
    loss_ncc = (moving + forward - fixed).square().mean()
    difference = (forward + backward).abs()
    occluded = (difference > difference.mean() + 0.5).float()
    loss_occ = occluded.mean()
    loss = loss_ncc + 0.01 * loss_occ
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
