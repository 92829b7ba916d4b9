"""Files: written atomically, arrays with a JSON header, digests, checkpoints, caches. Nothing in them is executed."""
