"""How to get the data of the conferences from NIST, which organized them."""

DUC_STEPS = (
    "Read duc.nist.gov/data.html; sign the agreements for the data of DUC and send them to NIST",
    "NIST answers with a user name and a password for the past data of DUC",
)
TAC_STEPS = (
    "Read tac.nist.gov/data/index.html; sign the agreements for the data of TAC and send them to NIST",
    "NIST answers with a user name and a password for the past data of TAC",
)
