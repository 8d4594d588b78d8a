"""Keeps the plug-in packages, which the tests install, from being imported as tests."""

collect_ignore = ["fw_broken_plugin", "fw_example_plugin", "fw_sacrerouge_plugin"]
