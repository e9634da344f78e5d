"""The domain loss subtracted in place of a reversal: the classifier learns to fail as well."""

import torch
from torch.nn.functional import binary_cross_entropy_with_logits, softplus

from lessons.contract.bug import Bug, Code, changed
from lessons.gradient_tricks.tricks import flip_gradient  # noqa: F401  # two fixes call it


def total(
    feature: torch.Tensor, head: torch.Tensor, classifier: torch.Tensor, domain: torch.Tensor
) -> torch.Tensor:
    label_loss = softplus(-feature @ head).mean()
    logit = feature @ classifier
    return label_loss - binary_cross_entropy_with_logits(logit, domain)


def check(code: Code) -> None:
    """The classifier gets the gradient of its own loss; the feature gets it reversed."""
    feature = torch.tensor([[1.0, -0.5], [0.2, 0.8]], requires_grad=True)
    head, classifier = torch.tensor([0.3, 0.7]), torch.tensor([0.6, -0.4], requires_grad=True)
    domain = torch.tensor([0.0, 1.0])
    label_loss = softplus(-feature @ head).mean()
    own_loss = binary_cross_entropy_with_logits(feature @ classifier, domain)
    (by_label,) = torch.autograd.grad(label_loss, feature)
    by_domain, own = torch.autograd.grad(own_loss, (feature, classifier))
    slopes = torch.autograd.grad(
        code(feature, head, classifier, domain), (feature, classifier), materialize_grads=True
    )
    for name, got, expected in zip(
        ("classifier", "feature"), slopes[::-1], (own, by_label - by_domain), strict=True
    ):
        shown = [[round(x, 3) for x in slope.flatten().tolist()] for slope in (got, expected)]
        assert torch.allclose(got, expected, atol=1e-6), (
            f"the {name}’s gradient is {shown[0]}, expected {shown[1]}"
        )


BUG = Bug(
    source="CuthbertCai/pytorch_DANN#13",
    title="Loss function",
    opened="2019-09-02",
    broken=total,
    fixes={
        "both_signs": changed(total, {"logit = feature": "logit = flip_gradient(feature)"}),
        "detached": changed(
            total, {"logit = feature": "logit = feature.detach()", "label_loss -": "label_loss +"}
        ),
        "layer": changed(
            total,
            {"logit = feature": "logit = flip_gradient(feature)", "label_loss -": "label_loss +"},
        ),
    },
    check=check,
)
