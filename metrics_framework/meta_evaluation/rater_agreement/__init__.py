"""How well raters agree: coefficients of agreement, generalizability, ceilings and standardization."""
