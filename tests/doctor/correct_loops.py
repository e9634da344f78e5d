"""Training steps that are right and look odd: attacks, averages, meta learning, SAC."""

import copy

import torch
from torch import nn
from torch.distributions import Normal
from torch.func import functional_call
from torch.nn import functional

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), 0.1)
x, y = torch.randn(6, 3), torch.randn(6, 1)
average = copy.deepcopy(net)
meta = nn.Linear(3, 1)
meta_opt = torch.optim.Adam(meta.parameters(), 0.01)
small = nn.Linear(1, 1)


def descend(loss):
    opt.zero_grad()
    loss.backward()
    opt.step()


def by_hand():
    for _ in range(2):
        loss = functional.mse_loss(net(x), y)
        slopes = torch.autograd.grad(loss, list(net.parameters()))
        for one, slope in zip(net.parameters(), slopes, strict=True):
            one.data -= 0.1 * slope


def moving_average():
    descend(functional.mse_loss(net(x), y))
    for one, other in zip(average.parameters(), net.parameters(), strict=True):
        one.data = 0.99 * one.data + 0.01 * other.data


def first_order_meta():
    meta_opt.zero_grad()
    for _ in range(2):
        fast = copy.deepcopy(meta)
        fast_opt = torch.optim.SGD(fast.parameters(), 0.1)
        functional.mse_loss(fast(x), y).backward()
        fast_opt.step()
        fast_opt.zero_grad()
        functional.mse_loss(fast(x), y).backward()
        for one, other in zip(meta.parameters(), fast.parameters(), strict=True):
            one.grad = other.grad.clone() if one.grad is None else one.grad + other.grad
    meta_opt.step()


class Actor(nn.Module):
    """Soft actor-critic: a critic with its target, an actor, a temperature, an optimizer each."""

    def __init__(self):
        super().__init__()
        self.mean, self.critic = nn.Linear(3, 2), nn.Linear(5, 1)
        self.target = copy.deepcopy(self.critic)
        self.heat = nn.Parameter(torch.zeros(()))
        parts = (self.mean.parameters(), self.critic.parameters(), [self.heat])
        self.opts = [torch.optim.Adam(part, 1e-3) for part in parts]

    def draw(self, state, how):
        dist = Normal(self.mean(state), 1.0)
        action = getattr(dist, how)()
        return action, dist.log_prob(action).sum(-1, keepdim=True)

    def step(self):
        state, action, later = torch.randn(8, 3), torch.randn(8, 2), torch.randn(8, 3)
        with torch.no_grad():
            then, chance = self.draw(later, "sample")
            goal = 0.9 * self.target(torch.cat([later, then], -1)) - self.heat.exp() * chance
        critic_loss = (self.critic(torch.cat([state, action], -1)) - goal).pow(2).mean()
        now, chance = self.draw(state, "rsample")
        worth = self.critic(torch.cat([state, now], -1))
        losses = (
            (self.heat.exp().detach() * chance - worth).mean(),
            critic_loss,
            -(self.heat * (chance.detach() - 2)).mean(),
        )
        for one, loss in zip(self.opts, losses, strict=True):
            one.zero_grad()
            loss.backward(retain_graph=True)
        for one in self.opts:
            one.step()
        with torch.no_grad():
            for one, other in zip(self.target.parameters(), self.critic.parameters(), strict=True):
                one.mul_(0.995).add_(0.005 * other)


soft_actor_critic = Actor().step


def distillation():
    teacher = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1)).eval()
    with torch.inference_mode():
        soft = teacher(x)
    descend(functional.mse_loss(net(x), soft.clone()))


def equation_of_motion():
    time = torch.linspace(0, 1, 9)[:, None].requires_grad_()
    where = torch.tanh(small(time))
    (speed,) = torch.autograd.grad(where.sum(), time, create_graph=True)
    (pull,) = torch.autograd.grad(speed.sum(), time, create_graph=True)
    (pull + 4 * where).pow(2).mean().backward()


def second_order_meta():
    """Adapt twice by functional_call, whose weights are computed, not parameters."""
    meta_opt.zero_grad()
    fast = dict(meta.named_parameters())
    for _ in range(2):
        loss = functional.mse_loss(functional_call(meta, fast, (x,)), y)
        slopes = torch.autograd.grad(loss, tuple(fast.values()), create_graph=True)
        fast = {
            name: one - 0.1 * slope for (name, one), slope in zip(fast.items(), slopes, strict=True)
        }
    functional.mse_loss(functional_call(meta, fast, (x,)), y).backward()
    meta_opt.step()


def attack_by_backward():
    """The attack leaves gradients in the weights, which zero_grad() clears unread."""
    for _ in range(2):
        shift = torch.zeros_like(x, requires_grad=True)
        functional.mse_loss(net(x + shift), y).backward()
        shift.data = shift + 0.01 * shift.grad.sign()
        descend(functional.mse_loss(net(x + shift.detach()), y))


def gradients_of_each_task():
    """Each task's gradients are read and cleared, and their sum is set by hand."""
    out = net(x)
    found = []
    for loss in (functional.mse_loss(out, y), out.abs().mean()):
        opt.zero_grad()
        loss.backward(retain_graph=True)
        found.append([one.grad.clone() for one in net.parameters()])
    for one, *grads in zip(net.parameters(), *found, strict=True):
        one.grad = sum(grads)
    opt.step()


def state_detached_for_each_step():
    cell = nn.LSTMCell(3, 4)
    cell_opt = torch.optim.SGD(cell.parameters(), 0.1)
    h = c = torch.zeros(6, 4)
    for _ in range(3):
        h, c = cell(x, (h.detach(), c.detach()))
        cell_opt.zero_grad()
        h.square().mean().backward()
        cell_opt.step()


def decoder_steps_more_often():
    """The encoder adds up its gradients over two steps of the decoder, then makes its own."""
    encoder, decoder = nn.Linear(3, 4), nn.Linear(4, 1)
    opts = [torch.optim.SGD(one.parameters(), 0.1) for one in (decoder, encoder)]
    for _ in range(2):
        for _ in range(2):
            functional.mse_loss(decoder(encoder(x)), y).backward()
            opts[0].step()
            opts[0].zero_grad()
        opts[1].step()
        opts[1].zero_grad()


def average_of_weights():
    mean = torch.optim.swa_utils.AveragedModel(net)
    for _ in range(2):
        descend(functional.mse_loss(net(x), y))
        mean.update_parameters(net)


def spectral_norm():
    """The weight is read before the layer runs, where its power iteration starts."""
    norm = nn.utils.parametrizations.spectral_norm
    critic = nn.Sequential(norm(nn.Linear(3, 4)), nn.ReLU(), norm(nn.Linear(4, 1)))
    critic_opt = torch.optim.SGD(critic.parameters(), 0.1)
    for _ in range(2):
        critic_opt.zero_grad()
        functional.mse_loss(critic(x), y).backward()
        critic_opt.step()
