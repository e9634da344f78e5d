"""A Function's backward calls autograd.grad on ops that ran without gradients."""
import torch
from torch import nn


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x0, w):
        ctx.save_for_backward(w, x0)
        return torch.sum(x0 * w)

    @staticmethod
    def backward(ctx, grad_output):
        w, x0 = [one.detach().requires_grad_() for one in ctx.saved_tensors]
        out = torch.sum(x0 * w)
        out.requires_grad = True
        return torch.autograd.grad(out, (x0, w), grad_output, allow_unused=True)


torch.manual_seed(0)
w, data = nn.Parameter(torch.rand(2, 3)), torch.rand(2, 3)
optimizer = torch.optim.SGD([w], 0.1)
for _ in range(2):
    optimizer.zero_grad()
    loss = Product.apply(data, w) - 5
    loss.backward()
    optimizer.step()
