"""What people see of the work: progress, tables, kernels and models in words, and notebooks."""
