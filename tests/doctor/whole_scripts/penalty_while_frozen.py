"""The penalty on the image critic runs while that critic is still frozen."""
import torch
from torch import nn

torch.manual_seed(0)
critic_img, critic_seg = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)), nn.Linear(4, 1)
real, mask = torch.randn(6, 4), torch.randn(6, 4)
d_img_optim = torch.optim.Adam(critic_img.parameters(), 1e-3)
d_seg_optim = torch.optim.Adam(critic_seg.parameters(), 1e-3)
for _ in range(2):
    critic_img.requires_grad_(False)
    critic_seg.zero_grad()
    nn.functional.softplus(critic_seg(mask)).mean().backward()
    d_seg_optim.step()
    real_img = real.clone().requires_grad_()
    real_pred = critic_img(real_img)
    (slope,) = torch.autograd.grad(real_pred.sum(), real_img, create_graph=True)
    critic_img.zero_grad()
    (5 * slope.square().sum(1).mean() + 0 * real_pred.sum()).backward()
    d_img_optim.step()
