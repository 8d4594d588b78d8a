"""What every other package needs and what knows no metric: errors, registries, plug-ins, logs."""
