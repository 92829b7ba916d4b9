"""What people see on the way: progress, tables on a screen, kernels and models in words, notebooks."""
