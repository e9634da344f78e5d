"""Programs whose gradient goes wrong, as people write them; each is traced as a file of its own."""

import torch
from torch import nn


def item(x):
    loss = (x * x).sum()
    return loss.item()


def detached(x):
    h = x * x
    h = h.detach()
    return (h * 3).sum()


def edited(x):
    y = torch.exp(x)
    y.data += 1
    return y.sum()


def edited_by_numpy(x):
    y = torch.exp(x)
    y.detach().numpy()[0] = 5.0
    return y.sum()


def stepped_by_a_fused_optimizer(x):
    loss = (x**3).sum()
    x.grad = torch.ones_like(x)
    torch.optim.Adam([x], lr=1.0, fused=True).step()
    return loss


def in_place(x):
    y = torch.exp(x)
    y += 1
    return y.sum()


def root(x):
    squares = (x - x) ** 2
    return torch.sqrt(squares).sum()


class Unused(nn.Module):
    def __init__(self):
        super().__init__()
        self.used = nn.Linear(3, 2)
        self.forgotten = nn.Linear(3, 2)

    def forward(self, x):
        return self.used(x).sum()


def half(x):
    y = torch.exp(x.half())
    return (y / (y + 1)).sum()


def carried_state(x):
    """A recurrent state that goes on to the next pass with the graph of this one."""
    torch.manual_seed(0)
    rnn, state = torch.nn.LSTM(1, 2), None
    for _ in range(2):
        out, state = rnn(x[:, None], state)
        out.square().mean().backward()


def elsewhere(x, w):
    (x * w).sum()
    return (w * w).sum()


def fails(x):
    rows = x.reshape(2, 2)
    return rows @ torch.ones(3)


def fine(x, w):
    return ((x * w).tanh() ** 2).sum()


not_a_function = 3


def make(width: int = 3):
    return nn.Linear(width, 1)


def zero_arguments():
    return nn.Linear(3, 1)


def plain_arguments(x, power: int, name: str = "p", scale: float = 1.0):
    assert isinstance(power, int)
    assert isinstance(name, str)
    return (x.detach() ** power).sum() * scale


instance = nn.Linear(3, 1)
scale = torch.tensor(2.0, requires_grad=True)


def reads_globals(x):
    return (instance(x) * scale).sum()


def as_dictionary(x):
    return {"logits": x * 2, "loss": (x * x).sum()}


def one_row_divides_by_zero(w):
    """A weight that eight rows read; in one of them it is divided by 0, and then not chosen."""
    below = torch.ones(8, 3)
    below[5, 2] = 0
    return torch.where(below > 0, w / below, torch.zeros(())).sum()


def too_long_a_row(x):
    """In float16 a row adds up to more than 65504."""
    return (x * 3e4).half().sum(1).float().sum()
