"""Gradient descent by hand updates a leaf in place while autograd records."""
import torch
from torch import nn

torch.manual_seed(0)
fc, h, target = nn.Linear(4, 3), torch.randn(5, 4), torch.randn(5, 3)
s = torch.randn(5, 4)
s_batch = s.clone().detach().requires_grad_(True)
s_learning_rate = 0.1
for _ in range(3):
    loss_s = (fc(s_batch.relu()) - target).square().mean() + (s_batch - h).square().mean()
    loss_s.backward()
    s_batch -= s_learning_rate * s_batch.grad
    s_batch.grad.zero_()
