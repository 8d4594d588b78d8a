"""The Python twins: the definitions, and what runs where no native module was built."""
