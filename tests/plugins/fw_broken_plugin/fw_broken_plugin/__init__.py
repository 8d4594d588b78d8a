"""A plug-in that needs a package which nobody has."""

import a_package_that_nobody_has  # noqa: F401
