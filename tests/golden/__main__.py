"""Write one golden trace anew, with the reason for it."""

import json
import sys

from tests.golden import FOLDER, played_again, read

if __name__ == "__main__":
    if len(sys.argv) != 3 or not sys.argv[2].strip():
        raise SystemExit('usage: python -m tests.golden mon/greedy-4.jsonl "why it changes"')
    path = FOLDER / sys.argv[1]
    header = read(path)[0]
    lines = played_again(header)
    lines[0] = {"reason": sys.argv[2], **lines[0]}
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
