"""Explain a PyTorch network. It is parsed layer by layer, so its options are proven like those of a tree."""

import torch
from torch import nn

import p2ce
from p2ce.datasets import make_applicants

torch.manual_seed(0)
torch.set_num_threads(1)
applicants = make_applicants(random_state=3)
people, repaid = applicants.data, applicants.target
inputs = torch.tensor(people.to_numpy(dtype="float32"))
outcome = torch.tensor(repaid.to_numpy(dtype="float32"))

# The first layer scales, since the network gets the unscaled values of the frame.
network = nn.Sequential(
    nn.BatchNorm1d(inputs.shape[1]), nn.Linear(inputs.shape[1], 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU(),
    nn.Linear(16, 1),
)  # fmt: skip
optimiser = torch.optim.Adam(network.parameters(), lr=0.01, weight_decay=1e-4)
for _ in range(300):
    optimiser.zero_grad()
    loss = nn.functional.binary_cross_entropy_with_logits(network(inputs)[:, 0], outcome)
    loss.backward()
    optimiser.step()
network.eval()


def black_box(frame):
    """Return the scores of the same network as a plain function, which is a black box."""
    with torch.no_grad():
        return torch.sigmoid(network(torch.tensor(frame.to_numpy(dtype="float32")))[:, 0]).numpy()


chance = black_box(people)
right = ((chance >= 0.5) == repaid.to_numpy().astype(bool)).mean()
print(
    f"The network is right about {right:.0%} of {len(people)} applicants, and rejects {(chance < 0.5).sum()}."
)

policy = (
    p2ce.Policy.infer(people)
    .fix("Age", "LatePayments", "OwnsHome")
    .decrease_only("LoanAmount")
    .increase_only("Income", "SavingsBalance", "YearsAtCurrentJob", "HasGuarantor")
)
rejected = people[chance < 0.5].head(50)
parsed = p2ce.Explainer(network, people, target=1, policy=policy, refine=False).explain_many(rejected)
evaluated = p2ce.Explainer(black_box, people, target=1, policy=policy, refine=False).explain_many(rejected)

same = sum(
    [a.changes for a in one] == [b.changes for b in other]
    for one, other in zip(parsed, evaluated, strict=True)
)
print(f"Parsed, by {parsed[0].certificate.bound}: {parsed}")
print(f"As a black box, by {evaluated[0].certificate.bound}: {evaluated}")
print(f"Both find the same options for {same} of {len(rejected)} people.")
