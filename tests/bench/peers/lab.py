"""What every peer shows for a value of the slider: figures by name, and the rows of the table."""

from typing import Any

import numpy as np
import torch

SLIDER = {"min": 1.0, "max": 2.0, "step": 0.01, "value": 1.1}
X = torch.linspace(-3, 3, 121, dtype=torch.float64)
POINTS = torch.tensor([-2.0, -1.0, 1.0], dtype=torch.float64)


def compute(noise_high: float) -> tuple[dict[str, dict[str, Any]], list[dict[str, float]]]:
    generator = torch.Generator().manual_seed(0)
    u = 0.9 + (noise_high - 0.9) * torch.rand(500, generator=generator, dtype=torch.float64)
    curves, points = _noisy(X, u), _noisy(POINTS, u)
    figures = {
        "value": _curves(X.numpy(), curves[0], np.abs(X.numpy())),
        "gradient": _curves(X.numpy(), curves[1], np.sign(X.numpy())),
        "histogram": _histogram(points[1][:, 2]),
    }
    rows = []
    for i, x in enumerate(POINTS.tolist()):
        row = {"x": x}
        for name, values in zip(("value", "gradient"), points, strict=True):
            row |= {
                f"{name} mean": float(values[:, i].mean()),
                f"{name} std": float(values[:, i].std()),
            }
            row[f"{name} 5 %"] = float(np.quantile(values[:, i], 0.05))
        rows.append(row | {"sign": float(np.sign(x))})
    return figures, rows


def _noisy(x: torch.Tensor, u: torch.Tensor) -> tuple[np.ndarray, np.ndarray]:
    x = x.expand(len(u), -1).clone().requires_grad_()
    z = (x.square() * u[:, None]).sqrt()
    (gradient,) = torch.autograd.grad(z.sum(), x)
    return z.detach().numpy(), gradient.nan_to_num().numpy()


def _curves(x: np.ndarray, draws: np.ndarray, intended: np.ndarray) -> dict[str, Any]:
    low, high = np.quantile(draws, (0.05, 0.95), axis=0)
    lines = {"low": low, "high": high, "mean": draws.mean(0), "first": draws[0], "last": draws[-1]}
    lines["intended"] = intended
    data = [
        {"type": "scatter", "mode": "lines", "name": name, "x": x.astype("f4"), "y": y.astype("f4")}
        for name, y in lines.items()
    ]
    data[1]["fill"] = "tonexty"
    axes = {"xaxis": {"range": [-3, 3]}, "yaxis": {"range": [-3, 5]}}
    return {"data": data, "layout": {"height": 320, "showlegend": False, **axes}}


def _histogram(values: np.ndarray) -> dict[str, Any]:
    counts, edges = np.histogram(values, 40, (0.9, 1.5))
    bar = {"type": "bar", "x": ((edges[1:] + edges[:-1]) / 2).astype("f4"), "y": counts}
    axes = {"xaxis": {"range": [0.9, 1.5]}, "yaxis": {"range": [0, 100]}}
    return {"data": [bar], "layout": {"height": 320, "showlegend": False, **axes}}
