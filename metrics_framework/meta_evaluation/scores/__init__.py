"""Score files and tables of ratings, and the matrices made of them."""
