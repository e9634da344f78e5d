"""Programs that copy numbers past autograd, switch gradients off, or ask for a constant slope."""

import copy

import torch
from torch import nn
from torch.autograd import Variable
from torch.nn import functional

torch.manual_seed(0)
net, small, data, goal = nn.Linear(3, 1), nn.Linear(1, 1), torch.randn(8, 3), torch.randn(8)


def constructor(x):
    total = torch.Tensor([(x * x).sum(), x.abs().sum()])
    return total.mean()


def new_tensor(x):
    h = x * 2
    return h.new_tensor(h).sum()


def variable(x):
    h = x * 2
    v = Variable(h, requires_grad=True)
    return (v * v).sum()


def from_a_list(x):
    return torch.tensor((x * 2).tolist(), requires_grad=True).sum()


class Made(nn.Module):
    """A layer whose weight another layer makes."""

    def __init__(self):
        super().__init__()
        self.maker = nn.Linear(3, 9)
        self.layer = nn.Linear(3, 3, bias=False)

    def forward(self, x):
        w = self.maker(x).view(3, 3)
        self.give(w)
        return self.layer(x).pow(2).sum()


class ByData(Made):
    def give(self, w):
        self.layer.weight.data.copy_(w)


class ByBrackets(Made):
    def give(self, w):
        with torch.no_grad():
            self.layer.weight[:] = w


class ByState(Made):
    def give(self, w):
        self.layer.load_state_dict({"weight": w})


class ByVector(Made):
    def give(self, w):
        nn.utils.vector_to_parameters(w.flatten(), self.layer.parameters())


class Regularised(Made):
    def forward(self, x):
        w = self.maker(x).view(3, 3)
        self.layer.weight = nn.Parameter(w)
        return self.layer(x).pow(2).sum() + 0.01 * w.pow(2).sum()


def deep_copy():
    fast = copy.deepcopy(net)
    return functional.mse_loss(fast(data), goal[:, None])


@torch.no_grad()
def encode(x):
    return torch.tanh(x * 2)


def decorated(x):
    return (encode(x) ** 2).sum()


def by_a_flag(x, train=False):
    with torch.set_grad_enabled(train):
        h = x * 2
    return h.sum()


def multinomial(x):
    return torch.multinomial(x.softmax(-1), 1).float().sum()


def equation():
    x = torch.rand(5, 1).requires_grad_()
    u = torch.tanh(small(x))
    slope = torch.autograd.grad(u.sum(), x, retain_graph=True)[0]
    return ((slope + u) ** 2).mean()


def dropped(x):
    h = x * 2
    h.detach()
    return (h * x).sum()


def temporal_difference():
    value = net(data)
    with torch.no_grad():
        aim = goal + 0.9 * net(data).squeeze(1)
    return functional.smooth_l1_loss(value, aim)


def hooked(x):
    h = x * 2
    h.register_hook(lambda gradient: gradient * 0)
    return h.sum()


def saturated(x):
    return functional.binary_cross_entropy(torch.sigmoid(x * 400), torch.tensor([0.0, 1.0, 1.0]))


def at_zero(x):
    v = torch.zeros(3)
    v[:2] = (x - x)[:2]
    return v.norm()


def negative_power(x):
    return ((-x.abs()) ** 0.5).sum()


def descend(loss):
    opt = torch.optim.SGD(net.parameters(), 0.1)
    opt.zero_grad()
    loss.backward()
    opt.step()


def evaluate():
    torch.set_grad_enabled(False)
    return net(data).mean().item()


def after_an_evaluation():
    evaluate()
    try:
        descend(functional.mse_loss(net(data), goal[:, None]))
    finally:
        torch.set_grad_enabled(True)


def sensitivity():
    at = torch.rand(5, 1).requires_grad_()
    out = small(at)
    table = torch.autograd.functional.jacobian(small, at)
    return out.pow(2).mean() + table.pow(2).mean()


# -- correct ones


def pairwise(x):
    return (x[:, None] - x).abs().sum()


def kernel(x):
    squares = x * x
    return torch.exp(2 * x[:, None] * x - squares.view(-1, 1) - squares).mean()


def attack():
    x = data.clone().requires_grad_()
    slope = torch.autograd.grad(functional.mse_loss(net(x), goal[:, None]), x)[0]
    return functional.mse_loss(net(data + 0.1 * slope.sign()), goal[:, None])


def first_order(w):
    inner = (data @ w).pow(2).mean()
    (slope,) = torch.autograd.grad(inner, w)
    return (data @ (w - 0.1 * slope) - 1).pow(2).mean()


def adaptive_weight():
    out = net(data)
    first, second = functional.mse_loss(out, goal[:, None]), -out.mean()
    norms = [
        torch.autograd.grad(loss, net.weight, retain_graph=True)[0].norm()
        for loss in (first, second)
    ]
    return first + norms[0] / (norms[1] + 1e-4) * second


def detached_penalty():
    x = data.clone().requires_grad_()
    out = net(x)
    slope = torch.autograd.grad(out.sum(), x, retain_graph=True)[0].detach()
    return functional.mse_loss(out, goal[:, None]) + slope.pow(2).mean()


def through_numpy():
    h = data * net.weight
    cache = h.detach().numpy()
    return h.mean() + (net(torch.from_numpy(cache)) ** 2).mean()


class Sign(torch.autograd.Function):
    """A straight-through sign whose window is the wrong way round."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sign()

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return gradient * (x.abs() > 1)


class Binary(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(3, 4), nn.Linear(4, 1)

    def forward(self, x):
        for layer in (self.first, self.second):
            x = functional.linear(x, Sign.apply(layer.weight), layer.bias)
        return x.mean()


def routed(x):
    _, chosen = torch.topk(x, 1)
    return torch.where(chosen == 0, data, -data).mean()


class Average(nn.Module):
    def __init__(self):
        super().__init__()
        self.student = nn.Linear(3, 4)
        self.teacher = copy.deepcopy(self.student)
        with torch.no_grad():
            for one in self.student.parameters():
                one += 0.05 * torch.randn_like(one)

    def forward(self, x):
        return functional.mse_loss(self.student(x), self.teacher(x).detach())


class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Parameter(torch.zeros(()))
        self.inside = nn.Linear(3, 3)

    def forward(self, x):
        return (x + self.gate * self.inside(x)).pow(2).mean()


class ZeroConvolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.inside, self.zero = nn.Conv2d(1, 2, 3), nn.Conv2d(2, 2, 1)
        nn.init.zeros_(self.zero.weight)
        nn.init.zeros_(self.zero.bias)

    def forward(self, x):
        return (self.zero(self.inside(x).relu()) + 1).pow(2).mean()


class Tower(nn.Module):
    """Not correct: it looks like a teacher, and is a copy of nothing."""

    def __init__(self):
        super().__init__()
        self.left, self.right = nn.Linear(3, 4), nn.Linear(3, 4)

    def forward(self, x):
        with torch.no_grad():
            right = self.right(x)
        return functional.mse_loss(self.left(x), right)
