"""The formats of shared tasks: archives, names of files, tables of scores, documents."""
