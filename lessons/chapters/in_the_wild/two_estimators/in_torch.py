"""The gradient of a mean over samples: through the sample, or by the sample's log-probability."""

import json

import torch

estimator = "score"  # or path
baseline = 0.0
mu = 1.0
sigma = 1.0
eps = [0.0]
dtype = torch.float64


def two_estimators(mu, eps, sigma, estimator, baseline):
    x = mu + sigma * eps  # as Normal(mu, sigma).rsample()
    if estimator == "path":
        return (x - 3) ** 2
    x = x.detach()  # as Normal(mu, sigma).sample()
    cost = ((x - 3) ** 2).detach()
    logp = -0.5 * ((x - mu) / sigma) ** 2  # Normal.log_prob, but for a constant
    return (cost - baseline) * logp


if __name__ == "__main__":
    eps = torch.tensor(eps, dtype=dtype)
    mu = torch.full_like(eps, mu).requires_grad_()  # one mean a draw: a gradient a draw
    added = two_estimators(mu, eps, sigma, estimator, baseline)
    loss = added.sum() + 0 * mu.sum()  # + 0: zeros if you detach every path
    result = {
        "forward": added.tolist(),
        "trick_gradient": torch.autograd.grad(loss, mu)[0].tolist(),
    }
    print(json.dumps(result))
