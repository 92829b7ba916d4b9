"""Files: written atomically, arrays with a JSON header, digests, checkpoints. Nothing in them is ever executed."""
