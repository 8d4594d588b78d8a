"""The models of COMET (Rei et al. 2020, 2022; Guerreiro et al. 2024), from the files in which they are published."""
