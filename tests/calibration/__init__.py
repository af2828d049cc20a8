"""Whether the ranges hold what they promise: the same questions asked thousands of times where the truth is known."""
