"""Language models of a server: prompt templates, requests, answers."""
