"""The second loss of a summariser reads an encoding that was made under no_grad."""
import torch
from torch import nn

torch.manual_seed(0)
encoder, decoder = nn.Embedding(9, 4), nn.Linear(4, 9)
words, target = torch.randint(9, (5, 3)), torch.tensor([1, 2, 3, 4, 5])
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], 1e-3)


def generate_refinement_output(words):
    with torch.no_grad():
        context = encoder(words.flip(1)).mean(1)
    return decoder(context)


for _ in range(2):
    draft = decoder(encoder(words).mean(1))
    refined = generate_refinement_output(words)
    loss = nn.functional.cross_entropy(draft, target) + nn.functional.cross_entropy(refined, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
