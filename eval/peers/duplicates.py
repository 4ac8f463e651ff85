"""Near-duplicates with datasketch: MinHash of 6-word shingles and locality-sensitive hashing, as its documentation shows."""

import json
import re
import sys

from datasketch import MinHash, MinHashLSH

source, output, threshold = sys.argv[1], sys.argv[2], float(sys.argv[3])
index = MinHashLSH(threshold=threshold, num_perm=128)
with open(source) as records, open(output, "w") as pairs:
    for line in records:
        record = json.loads(line)
        words = re.findall(r"\w+", record["text"].lower())
        shingles = {" ".join(words[at : at + 6]) for at in range(max(1, len(words) - 5))}
        sketch = MinHash(num_perm=128)
        sketch.update_batch([shingle.encode() for shingle in shingles])
        for other in index.query(sketch):
            pairs.write(json.dumps({"a": other, "b": record["id"]}) + "\n")
        index.insert(record["id"], sketch, check_duplication=False)
