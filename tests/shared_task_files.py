"""Small archives in the layouts of DUC, TAC and MultiLing, made by us."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

Files = Mapping[str, "str | bytes"]

HEADER = "Responsiveness of 2005\n\ntopic type length system score\n"


def as_bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content


def tar(files: Files, mode: str = "w:gz") -> bytes:
    """Returns a tar archive."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(as_bytes(content))
            archive.addfile(member, io.BytesIO(as_bytes(content)))
    return buffer.getvalue()


def packed(files: Files) -> bytes:
    """Returns a zip archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, as_bytes(content))
    return buffer.getvalue()


def article(*paragraphs: str, kind: str = "P") -> str:
    """Returns an article in the markup of a news agency."""
    text = "\n".join(f"<{kind}>\n{paragraph}\n</{kind}>" for paragraph in paragraphs)
    return f'<DOC type="story">\n<HEADLINE>\nRain\n</HEADLINE>\n<TEXT>\n{text}\n</TEXT>\n</DOC>\n'


def rouge(*lines: str) -> str:
    """Returns the output of ROUGE: lines of averages, and of single summaries."""
    return "---------\n1 ROUGE-1 Average_R: 0.3 (95%-conf.int. 0.2 - 0.4)\n" + "".join(f"{line}\n" for line in lines)


def eval_line(file: str, recall: float, measure: str = "ROUGE-1") -> str:
    return f"{file.rpartition('.')[2]} {measure} Eval {file} R:{recall} P:0.25000 F:0.33333"


def write(folder: Path, files: Files) -> Path:
    """Writes files below a folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(as_bytes(content))
    return folder


def pyramid_file(*headers: str) -> str:
    """Returns a pyramid of DUCView with one unit, which the first summary expresses."""
    lines = "".join(
        f"<line>-----</line><line>{header}</line><line>-----</line><line>It rained.</line>" for header in headers
    )
    start = len(f"-----\n{headers[0]}\n-----\n")
    part = f'<part label="It rained" start="{start}" end="{start + 9}"/>'
    return (
        f"<pyramid><text>{lines}</text>"
        f'<scu uid="3" label="Rain (1.0)"><contributor label="It rained">{part}</contributor></scu></pyramid>'
    )


def annotation_file(*headers: str) -> str:
    """Returns an annotation of DUCView: a summary that expresses the unit."""
    unit = '<peerscu uid="3" label="(1) Rain"><contributor label="Rain"><part label="Rain" start="0" end="4"/>'
    return (
        f"<peerAnnotation>{pyramid_file(*headers)}<annotation><text><line>Rain.</line></text>"
        f"{unit}</contributor></peerscu></annotation></peerAnnotation>"
    )


# ---- TAC -------------------------------------------------------------------------------------------------------------


def tac2008() -> Files:
    root = "UpdateSumm08_eval"
    evaluation = {
        f"{root}/ROUGE/models/D0801-A.M.100.A.A": "It rained.\n\n A lot. \n",
        f"{root}/ROUGE/models/D0801-A.M.100.A.B": "Much rain fell.\n",
        f"{root}/ROUGE/models/D0801-B.M.100.A.A": "The sun came.\n",
        f"{root}/ROUGE/peers/D0801-A.M.100.A.14": "Rain.\n",
        f"{root}/ROUGE/peers/D0801-B.M.100.A.14": "Sun.\n",
        f"{root}/ROUGE/rouge.m.out": rouge(eval_line("D0801-A.M.100.A.14", 0.5)),
        f"{root}/ROUGE/rougejk.m.out": rouge(
            eval_line("D0801-A.M.100.A.14", 0.5), eval_line("D0801-A.M.100.A.14", 0.25)
        ),
        f"{root}/BE/simple.m.hm.out": rouge(eval_line("D0801-A.M.100.A.14", 0.125, "ROUGE-BE-HM")),
        f"{root}/BE/simplejk.m.hm.out": rouge(eval_line("D0801-A.M.100.A.14", 0.125, "ROUGE-BE-HM")),
        f"{root}/manual/pyramids/D0801-A.pyr": pyramid_file("D0801-A.M.100.A.A", "D0801-A.M.100.A.B"),
        f"{root}/manual/pyramids/D0801-B.pyr": "<pyramid",
        f"{root}/manual/peers/D0801-A.M.100.A.14": annotation_file("D0801-A.M.100.A.A", "D0801-A.M.100.A.B"),
        f"{root}/manual/manual.model": "D0801-A A 9 0 0.75 8 9\n",
        f"{root}/manual/manual.peer": "D0801-A 14 0.5 4 1 0 0.25 3 2\n",
    }
    folder = "UpdateSumm08_test_docs_files/D0801A"
    documents = tar(
        {
            f"{folder}/D0801A-A/NYT_ENG_20041001.0001": article("It  rained\nin York.", "A lot &amp; long."),
            f"{folder}/D0801A-B/NYT_ENG_20041002.0001": article("The sun came."),
        }
    )
    inner = "TAC2008_Update_Summarization_Documents/UpdateSumm08_test_docs_files.tar.gz"
    return {
        "scrapes/2008/UpdateSumm08_eval.tar.gz": tar(evaluation),
        "from-nist/TAC2008_Summarization_Documents.tgz": tar({inner: documents}),
    }


def two_parts(root: str, archive: str, aesop_archive: str, aesop_root: str, topic: str) -> Files:
    """Returns the archives of TAC 2009 to 2011, without documents."""
    number = int(topic[1:]) % 100
    evaluation: dict[str, str] = {}
    for part in ("A", "B"):
        file = f"{topic}-{part}.M.100.A"
        evaluation |= {
            f"{root}/ROUGE/models/{file}.A": "It rained.\n",
            f"{root}/ROUGE/models/{file}.B": "Much rain fell.\n",
            f"{root}/ROUGE/peers/{file}.1": "Rain.\n",
            f"{root}/ROUGE/rouge_{part}.m.out": rouge(eval_line(f"{file}.1", 0.5)),
            f"{root}/ROUGE/rougejk_{part}.m.out": rouge(eval_line(f"{file}.1", 0.25)),
            f"{root}/BE/simple_{part}.m.hm.out": rouge(eval_line(f"{file}.1", 0.125, "ROUGE-BE-HM")),
            f"{root}/BE/simplejk_{part}.m.hm.out": rouge(eval_line(f"{file}.1", 0.125, "ROUGE-BE-HM")),
            f"{root}/manual/pyramids/{topic}-{part}.pyr": pyramid_file(f"{file}.A", f"{file}.B"),
            f"{root}/manual/peers/{file}.1": annotation_file(f"{file}.A", f"{file}.B"),
            f"{root}/manual/manual.model.{part}": f"{topic}-{part} A 9 0 0 0.75 8 9\n",
            f"{root}/manual/manual.peer.{part}": f"{topic}-{part} 1 0.5 4 1 0 0 0.25 3 2\n",
        }
    aesop = {
        f"{aesop_root}/data/aesop_allpeers_{part}": f"system topic m1 m2\ns1 D{number} 0.5 NaN\n" for part in ("A", "B")
    }
    return {f"deep/{archive}": tar(evaluation), aesop_archive: tar(aesop)}


def gigaword() -> Files:
    """Returns the topics of TAC 2011 and a file of Gigaword."""
    ids = ("AFP_ENG_20050119.0019", "AFP_ENG_20050120.0001")
    articles = "".join(article(f"Article {n}.").replace("<DOC ", f'<DOC id="{name}" ') for n, name in enumerate(ids))
    topics = (
        '<?xml version="1.0"?>\n<tac>\n<topic id = "D1101A" category = "1">\n <title> Rain </title>\n'
        f' <docsetA id = "D1101A-A">\n  <doc id = "{ids[0]}.LDC2009T13" />\n </docsetA>\n'
        f' <docsetB id = "D1101A-B">\n  <doc id = "{ids[1]}.LDC2009T13" />\n </docsetB>\n</topic>\n</tac>\n'
    )
    return {
        "GuidedSumm11_test_topics.xml.txt": topics,
        "data/afp_eng/afp_eng_200501.gz": gzip.compress(articles.encode()),
    }


# ---- DUC -------------------------------------------------------------------------------------------------------------


def duc2005() -> Files:
    results = {
        "results/ROUGE/models/D301.M.250.I.A": "It rained.\n",
        "results/ROUGE/models/D301.M.250.I.B": "Much rain fell.\n",
        "results/ROUGE/peers/D301.M.250.I.5": "Rain\xa0fell.\n".encode("latin-1"),
        "results/ROUGE/rougejk.m.out": rouge(eval_line("D301.M.250.I.5", 0.5)),
        "results/responsiveness/responsiveness.table": f"{HEADER}D301 M 250 5 3\nD301 M 250 A 5\n",
        "results/linguistic_quality/linguistic_quality.table": "topic\n\nD301 M 250 5 1 4\nD301 M 250 5 2 2\n",
    }
    documents = tar(
        {"duc2005_docs/d301i/FT1": article("It rained."), "duc2005_docs/d301i/LA2": "<GRAPHIC>A map.</GRAPHIC>"}
    )
    return {
        "results.tar": tar(results, "w"),
        "DUC2005.tar.gz": tar(
            {
                "processed_pans.txt": "301 5 0.5 0.25 4 1\n",
                "pans/118.D301.M.250.I.5.pan": annotation_file("D301.M.250.I.A"),
            }
        ),
        "DUC2005_Summarization_Documents.tgz": tar({"DUC2005_Summarization_Documents/duc2005_docs.tar.gz": documents}),
    }


def duc2006() -> Files:
    second = {
        "NISTeval2/ROUGE/peers/D0601.M.250.A.A": "It rained.\n",
        "NISTeval2/ROUGE/peers/D0601.M.250.A.3": "Rain.\n",
        "NISTeval2/ROUGE/rougejk.m.out": rouge(eval_line("D0601.M.250.A.3", 0.5)),
        "NISTeval2/BE/simplejk.m.hm.out": rouge(eval_line("D0601.M.250.A.3", 0.5, "ROUGE-BE-HM")),
    }
    first = {
        "NISTeval/responsiveness/overall.table": f"{HEADER}D0601 M 250 3 4\n",
        "NISTeval/responsiveness/content.table": f"{HEADER}D0601 M 250 3 5\n",
        "NISTeval/linguistic_quality/linguistic_quality.table": "topic\nD0601 M 250 3 1 4\n",
    }
    documents = tar({"duc2006_docs/D0601A/APW19990707.0181": article("It rained.")})
    return {
        "NISTeval2.tar.gz": tar(second),
        "NISTeval.tar.gz": tar(first),
        "DUC2006pyramiddata.tar.gz": tar(
            {
                "scoring/2006_modified_scores.txt": "D0601 03 0.5 4 1\n",
                "allpyramids/D0601.M.250.A.pyr": pyramid_file("D0601.M.250.A.A"),
                "allpans/114.D0601.M.250.A.3.pan": annotation_file("D0601.M.250.A.A"),
                "allpans/115.D0601.M.250.A.3.pan": annotation_file("D0601.M.250.A.A"),
            }
        ),
        "DUC2006_Summarization_Documents.tgz": tar({"DUC2006_Summarization_Documents/duc2006_docs.tar.gz": documents}),
    }


def duc2007() -> Files:
    main = {
        "mainEval/ROUGE/models/D0701.M.250.A.A": "It rained.\n",
        "mainEval/ROUGE/peers/D0701.M.250.A.3": "Rain.\n",
        "mainEval/ROUGE/rougejk.m.out": rouge(eval_line("D0701.M.250.A.3", 0.5)),
        "mainEval/BE/simplejk.m.hm.out": rouge(eval_line("D0701.M.250.A.3", 0.5, "ROUGE-BE-HM")),
        "mainEval/manual/content.table": f"{HEADER}D0701 M 250 3 4\n",
        "mainEval/manual/linguistic_quality.table": "topic\nD0701 M 250 3 1 4\n",
    }
    update = {
        "updateEval/ROUGE/models/D0703-A.M.100.A.A": "It rained.\n",
        "updateEval/ROUGE/peers/D0703-C.M.100.A.36": "Rain.\n",
        "updateEval/ROUGE/rougejk.m.out": rouge(eval_line("D0703-C.M.100.A.36", 0.5)),
        "updateEval/BE/simplejk.m.hm.out": rouge(eval_line("D0703-C.M.100.A.36", 0.5, "ROUGE-BE-HM")),
        "updateEval/Responsiveness/content.table": f"{HEADER}D0703-C M 100 36 4\n",
        "updateEval/Pyramid/allpyramids/D0703-C.pyr": pyramid_file("D0703-C.M.100.A.A"),
        "updateEval/Pyramid/allpans/D0703-C.M.100.A.36.pan": annotation_file("D0703-C.M.100.A.A"),
        "updateEval/Pyramid/scoring/2007_modified_scores.txt": "D0703-C 36 0.5 4 1\n",
    }
    documents = tar(
        {
            "duc2007_testdocs/main/D0701A/APW19990707.0181": article("It rained."),
            "duc2007_testdocs/update/D0703A/D0703A-C/APW19990708.0181": article("The sun came."),
        }
    )
    inner = "DUC2007_Summarization_Documents/duc2007_testdocs.tar.gz"
    return {
        "mainEval.tar.gz": tar(main),
        "updateEval.tar.gz": tar(update),
        "mainPyramidEval.tar.gz": tar(
            {
                "mainPyramidEval/scoring/2007_modified_scores.txt": "D0701 3 0.5 4 1\n",
                "mainPyramidEval/allpyramids/D0701.M.250.A.pyr": pyramid_file("D0701.M.250.A.A"),
                "mainPyramidEval/allpans/D0701.M.250.A.3.pan": annotation_file("D0701.M.250.A.A"),
            }
        ),
        "DUC2007_Summarization_Documents.tgz": tar({inner: documents}),
    }


def duc2004() -> Files:
    names = {
        1: "D30001.P.10.T.{}.APW19981016.0240",
        2: "D30001.M.100.T.{}",
        3: "D30001.P.10.T.{}.AFA19981230.1000.0058",
        4: "D30001.M.100.T.{}",
        5: "D132.M.100.T.{}",
    }
    results: dict[str, str | bytes] = {}
    for task, name in names.items():
        for kind, authors in (("models", "AB"), ("peers", "7")):
            files = {f"{kind}/{task}/{name.format(author)}": f"Rain by {author}.\n" for author in authors}
            results[f"duc2004_results/ROUGE/duc2004.task{task}.ROUGE.{kind}.tar.gz"] = tar(files)
    ratings = "{} M 100 T A A 1 7 0 1 2 3 4 3 2 0.2 8 5 3 9 0.4 0.5 0.1\n"
    results["duc2004_results/SEE/short.results.table2"] = "Columns 1 to 23\n\n" + ratings.format("D30001")
    results["duc2004_results/SEE/short.results.table5"] = "Columns 1 to 23\n\n" + ratings.format("D132")
    results["duc2004_results/Responsiveness/results.table.R"] = f"{HEADER}D132 M 100 7 3\n"
    root = "DUC2004_Summarization_Documents/duc2004_testdata"
    documents = {
        f"{root}/tasks1and2/duc2004_tasks1and2_docs/docs/d30001t/APW19981016.0240": article("It rained."),
        f"{root}/task5/duc2004_task5_docs/docs/d132d/APW19981017.0240": article("The sun came."),
    }
    return {"duc2004_results.tgz": tar(results), "DUC2004_Summarization_Documents.tgz": tar(documents)}


def see(*units: str) -> str:
    """Returns a summary as the Summary Evaluation Environment shows it."""
    anchors = "\n".join(f'<a name="{n}">[{n}]</a> <a href="#{n}" id={n}>{unit}</a>' for n, unit in enumerate(units, 1))
    return f"<html>\n<head><title>x</title></head>\n<body>{anchors}</body>\n</html>\n"


def duc2003() -> Files:
    abstracts = {
        "duc2003/peer1.1/D100.P.10.A.A.APW19981016.0240.html": see("It rained."),
        "duc2003/peer1.1/D100.P.10.A.17.APW19981016.0240.html": "Rain.\n",
        "duc2003/peer2.2/D30003.M.100.T.A.html": see("It rained.", "A lot."),
        "duc2003/peer3.2/D30003.M.100.T.2.html": see("Rain."),
        "duc2003/peer3.3/D30044.M.100.T.2.html": see("Rain."),
        "duc2003/peer5.4/D305.M.100.T.5.html": see("Rain."),
        "duc2003/peer5.4/index.txt": "no summary",
    }
    row = "{} {} {} {} T A A 1 {} 0 1 {} 0.2 8 5 3 9 0.4 0.5 0.1 0.3 0.4 0.2\n"
    quality = " ".join(str(number % 5) for number in range(12))
    tables = {
        1: row.format("D100", "P", "APW19981016.0240", 10, 17, " ".join(["-"] * 12)),
        2: row.format("D30003", "M", "-", 100, 2, quality),
        3: row.format("D30044", "M", "-", 100, 2, quality),
        4: row.format("D305", "M", "-", 100, 5, quality),
    }
    folder = "results/original.results.corrected.improved.withPenaltyForExcess"
    outer = "DUC2003_Summarization_Documents/duc2003_testdata"
    documents = {
        f"{outer}/task{task}/task{task}.docs.tar.gz": tar({f"task{task}/docs/{cluster}/{name}": article("It rained.")})
        for task, cluster, name in (
            (1, "d100", "APW19981016.0240"),
            (2, "d30003t", "APW1"),
            (3, "d30044t", "APW2"),
            (4, "d305t", "APW3"),
        )
    }
    return {
        "detagged.duc2003.abstracts.tar.gz": tar(abstracts),
        **{f"{folder}/short.results.table{number}": content for number, content in tables.items()},
        "results/original/short.results.table1": "an older version, which is not read\n",
        "results/results.table.R.paired.noheader": "D305 T 5 x 3 y 4\n",
        "results/results.table.U.paired.noheader": "D100 APW199810160240 T 17 x 2 y 1\n",
        "DUC2003_Summarization_Documents.tgz": tar(documents),
    }


def duc2002() -> Files:
    archives = {f"{name}.tar.gz": tar({"readme": "x"}) for name in ("baseline1peers", "baseline2peers")}
    third = {"b/D061.M.050.J.3.html": see("Rain.")}
    manual = {
        "m/D061.M.050.J.A.html": see("It rained.", "A lot."),
        "m/D061.P.100.J.A.AP880911-0016.html": see("It rained."),
    }
    submitted = {"s/D061.P.100.J.15.AP880911-0016.html": see("Rain.")}
    row = "{} {} {} {} J A A 1 {} 0 {} 0.2 8 5 3 9 0.4 0.5 0.1 0.3 0.4 0.2\n"
    quality = " ".join("-" if number == 11 else str(number % 5) for number in range(12))
    table = (
        "Columns 1 to 33\n\n"
        + row.format("D061", "M", "-", "050", 3, quality)
        + row.format("D061", "P", "AP880911-0016", "100", 15, quality)
    )
    sentences = '<DOC><TEXT>\n<s docid="x" num="1">It rained.</s>\n<s docid="x" num="2">A lot.</s></TEXT></DOC>'
    documents = tar({"docs/testdocs/d061j/AP880911-0016.S": sentences})
    inner = "DUC2002_Summarization_Documents/duc2002testdocswithsentences.tar.gz"
    return {
        **archives,
        "baseline3peers.tar.gz": tar(third),
        "manualpeers.tar.gz": tar(manual),
        "submittedpeers.tar.gz": tar(submitted),
        "results/abstracts/phase1/short.results.table": table,
        "DUC2002_Summarization_Documents.tgz": tar({inner: documents}),
    }


def duc2001() -> Files:
    root = "DUC2001_Summarization_Documents/data"
    single = '<SUM\nDOCSET="d04"\nDOCREF="SJMN91-0605144"\nSELECTOR="B">\nIt rained.</SUM>\n'
    unclosed = '<SUM\nDOCSET="d04"\nDOCREF="AP1"\nSELECTOR="C"\nIt poured.</SUM>\n'
    files = {
        f"{root}/test/docs/d04a/SJMN91-06015144": "<DOC><LEADPARA>Rain.</LEADPARA><TEXT>It rained.</TEXT></DOC>",
        f"{root}/test/docs/d04a/FBIS-41815~": "an editor's copy",
        f"{root}/test/original.summaries/d04ab/perdocs": single,
        f"{root}/test/original.summaries/d04ab/50": '<SUM DOCSET="d04" SIZE="50">\nMuch rain.</SUM>',
        f"{root}/test/duplicate.summaries/d04ac/perdocs": unclosed,
        f"{root}/test/duplicate.summaries/d04ac/50": '<SUM DOCSET="d04" SIZE="50">\nA lot of rain.</SUM>',
        f"{root}/training/d01a/docs/WSJ1": "<DOC><LP>Rain.</LP><TEXT>It rained.</TEXT></DOC>",
        f"{root}/training/d01a/perdocs": '<SUM DOCREF="WSJ1">It rained.</SUM>',
        f"{root}/training/d01a/100": "<SUM>Much rain.</SUM>",
    }
    return {"DUC2001_Summarization_Documents.tgz": tar(files)}


# ---- MultiLing -------------------------------------------------------------------------------------------------------


def multiling2011() -> Files:
    root = "PublishedCorpusFileSet/MultiLingPilot2011"
    models = {
        "English/M000.A.250": "It rained.\n",
        "English/M000.B.250": "Much rain.\n",
        "Greek/M000.A.250": "Έβρεξε.\n",
    }
    peers = {"x/ID3/english/M000.english": "Rain.\n", "x/ID3/greek/M000.greek": "Βροχή.\n"}
    evaluation = {
        "PublishedEvaluation/HumanEvaluation/englishGrades.csv": (
            "topic system x y grade z length\n"
            '"M000" "ID3" 1 2 4 3 3.5\n"M000" "ID3" 1 2 5 3 4.5\n"M000" "IDA" 1 2 5 3 5\n'
        ),
        "PublishedEvaluation/AutomaticEvaluation/ROUGE/Detailed/englishDetailed.txt": rouge(
            "3 ROUGE-2 Eval 4.ID3 R:0.5 P:0.25 F:0.33333"
        ),
        "PublishedEvaluation/AutomaticEvaluation/AutoSummENG/Detailed/englishDetailed.csv": (
            "topic system a m\nM000 ID3 0.1 0.2\n"
        ),
    }
    return {
        "PublishedCorpusFileSet.zip": packed(
            {
                f"{root}-ModelSummaries.zip": packed(models),
                f"{root}-PeerSummaries.zip": packed(peers),
                f"{root}-EvaluationResults.zip": packed(evaluation),
                f"{root}-SourceTextsV1.0.zip": packed(
                    {"SourceTexts/M0001.english": "Rain\n\nIt rained.\n", "SourceTexts/M0001.greek": "Βροχή\n"}
                ),
            }
        )
    }
