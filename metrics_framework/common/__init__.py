"""What every other room needs and what knows no metric: errors, registries, plug-ins, logs."""
