"""
Does the LLM get the right passages?
====================================

Records of what was expected and what was retrieved for a large language model (RAG), as LlamaIndex,
ragas and Haystack have them, or a file of your own.
"""

import random

import rankreport as rr

draw = random.Random(4)
small, large = [], []
for i in range(150):
    passages = [f"manual.md#{n}" for n in draw.sample(range(400), 6)]
    for records, found in ((small, 0.7), (large, 0.9)):
        retrieved = passages[1:]
        if draw.random() < found:
            retrieved[draw.randrange(5)] = passages[0]
        expected = [passages[0]]
        records.append({"query": f"question {i}", "expected": expected, "retrieved": retrieved})
models = {"small": small, "large": large}
evaluation = rr.evaluate_retrieved(models, measures=["Success@5", "RR@5"])
print(evaluation)

# %%
report = rr.report(rr.compare(evaluation, baseline="small"), title="Two embedding models")
report.to_html("report.html")

# %%
# One relevant passage for each question: decide on ``Success`` (the hit rate) or ``RR``, and see
# :doc:`../your-data/language-models` for each tool.
