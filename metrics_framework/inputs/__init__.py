"""All that comes in: every row, table, list of texts, rating and vote passes this package, so that it means the same.

A table of any format becomes rows (`tables`, `exports`) whose columns have roles (`roles`); of outputs, `row_view` and
`rows` make rows with the names of fields. `keys` checks ids. `texts` and `frames` read
what is in memory, `rating_rows` ratings and scores, whose cells `values` converts; `score_files` and `ratings` are two
views of these. `checks` looks for mistakes in texts.
"""
