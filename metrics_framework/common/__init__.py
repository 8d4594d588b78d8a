"""Shared by all other packages and independent of metrics: errors, registries, plug-ins, logs."""


def names_in(path: str) -> dict[str, str]:
    """Returns the public names of a package to their modules: what its file imports for type checkers as ``X as X``.

    They are loaded when they are first used; that the imports state them is read from the file.

    Args:
        path: The file of the package.
    """
    names, module = dict[str, str](), ""
    with open(path, encoding="utf-8") as source:
        for words in (line.split() for line in source if line.startswith("    ")):
            module = words[1] if words[:1] == ["from"] else module
            if words[-2:-1] == ["as"] and words[-1].rstrip(",") in words[:-2]:
                names[words[-1].rstrip(",")] = module
    return names
