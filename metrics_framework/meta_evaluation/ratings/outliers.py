"""Systems that the organizers of WMT's metrics tasks left out of their tables, because their quality is far from all.

Source: mt-metrics-eval (2023), which records them for each test set and language pair.
"""

OUTLIERS: dict[tuple[str, str], frozenset[str]] = {
    ("wmt20", "cs-en"): frozenset({"zlabs-nlp.1149", "CUNI-DocTransformer.1457"}),
    ("wmt20", "de-en"): frozenset({"yolo.1052", "zlabs-nlp.1153", "WMTBiomedBaseline.387"}),
    ("wmt20", "en-cs"): frozenset({"zlabs-nlp.1151", "Online-G.1555"}),
    ("wmt20", "en-de"): frozenset({"zlabs-nlp.179", "WMTBiomedBaseline.388", "Online-G.1556"}),
    ("wmt20", "en-iu"): frozenset({"UEDIN.1281", "OPPO.722", "UQAM_TanLe.521"}),
    ("wmt20", "en-ja"): frozenset({"Online-G.1557", "SJTU-NICT.370"}),
    ("wmt20", "en-pl"): frozenset({"Online-Z.1634", "zlabs-nlp.180", "Online-A.1576"}),
    ("wmt20", "en-ta"): frozenset({"TALP_UPC.1049", "SJTU-NICT.386", "Online-G.1561"}),
    ("wmt20", "iu-en"): frozenset({"NiuTrans.1206", "Facebook_AI.729"}),
    ("wmt20", "ja-en"): frozenset({"Online-G.1564", "zlabs-nlp.66", "Online-Z.1640"}),
    ("wmt20", "pl-en"): frozenset({"zlabs-nlp.1162"}),
    ("wmt20", "ru-en"): frozenset({"zlabs-nlp.1164"}),
    ("wmt20", "ta-en"): frozenset({"Online-G.1568", "TALP_UPC.192"}),
    ("wmt20", "zh-en"): frozenset({"WMTBiomedBaseline.183"}),
    ("wmt22", "en-de"): frozenset({"M2M100_1.2B-B4"}),
    ("wmt23", "en-de"): frozenset({"synthetic_ref"}),
    ("wmt23", "zh-en"): frozenset({"synthetic_ref"}),
}
