"""Passages written for the purpose, summaries, and what SAMSA gives for them, worked by hand.

In the comments n is the number of scenes and m that of sentences; W1 are the aligned words of the first scene, M1 is
the centre of its main relation, A1 those of its participants, v1 what it is worth: half of s(M1) and half of the mean
of s(A1). SAMSA is m/n² · Σ v, SAMSA_abl is Σ v / n. Words are aligned to equal ones: the first to the first, the
second to the second and so on. The mode `published` departs from the definition in four ways: (1) only the last of
several centres is followed down; (2) of a main relation only the last centre counts; (3) main relations stand in one
list, and the i-th scene is compared with the i-th of them; (4) of a participant with several centres all words of the
first count, and the first word of each other. Where that gives something else, the comment works it too.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Case:
    """A worked example.

    Args:
        name: What it shows.
        passage: The passage, as `ucca_writer` takes it.
        summary: The sentences of the summary, with | between them.
        definition: SAMSA and SAMSA_abl, from 0 to 1; one number if they are equal.
        published: The same in the mode published; by default as in the definition.
    """

    name: str
    passage: str
    summary: str
    definition: str
    published: str = ""

    @property
    def sentences(self) -> list[str]:
        """The sentences of the summary."""
        return self.summary.split(" | ") if self.summary else []

    def expected(self, metric: str, mode: str) -> Fraction:
        """Returns the score that a metric must give in a mode."""
        scores = ((mode == "published" and self.published) or self.definition).split()
        return Fraction(scores[0 if metric == "samsa" else -1])


HE_ATE_AND_LEFT = "[H [A=he He] [P ate]] [L and] [H [A>he] [P left] [U .]]"

CASES = [
    # n = m = 1. W1 = Birds, sing. M1 = sing: 1. A1 = Birds: 1. v1 = 1.
    Case("one scene that is kept", "[H [A Birds] [P sing] [U .]]", "Birds sing .", "1"),
    # n = m = 1. Only the full stop is aligned, which is no word of the scene. M1: 0. A1: 0.
    Case("one scene that is lost", "[H [A Birds] [P sing] [U .]]", "Fish swim .", "0"),
    # n = m = 2. Scene 1 (He, ate) has 2 words in sentence 1, 1 in sentence 2; scene 2 (He, left) takes sentence
    # 2, to which its remote participant is aligned too. v1 = v2 = 1. SAMSA = 2/4 · 2.
    Case("two scenes, each in its sentence, with a remote participant", HE_ATE_AND_LEFT, "He ate . | He left .", "1"),
    # n = 2, m = 1. Both take the one sentence. v1 = v2 = 1. SAMSA = 1/4 · 2.
    Case("two scenes that stay in one sentence", HE_ATE_AND_LEFT, "He ate and left .", "1/2 1"),
    # n = 2 < m = 3.
    Case("more sentences than scenes", HE_ATE_AND_LEFT, "He ate . | He left . | He was full .", "0"),
    # n = 0 < m = 1.
    Case("no scene", "[H [E Quite] [C so] [U .]]", "Quite so .", "0"),
    # n = m = 0.
    Case("neither scene nor sentence", "[H [E Quite] [C so] [U .]]", "", "0"),
    # n = 1, m = 0. W1 is empty. M1 = Stop: 0. There are no participants: ½. v1 = 1/4. SAMSA = 0/1 · 1/4.
    Case("no sentence", "[H [P Stop] [U !]]", "", "0 1/4"),
    # M1 = Stop: 1. No participants: ½. v1 = ½ + ¼.
    Case("no participants", "[H [P Stop] [U !]]", "Stop !", "3/4"),
    # M1 has no words: ½. A1 = Nobody: 1. v1 = ¼ + ½.
    Case("an implicit main relation", "[H [A Nobody] [P!] [U .]]", "Nobody .", "3/4"),
    # M1: 1. A1 = nothing: ½, friends: 1; mean ¾. v1 = ½ + 3/8.
    Case("an implicit participant", "[H [P Listen] [A!] [A friends] [U !]]", "Listen friends !", "7/8"),
    # M1 = finished: 1, though "had" is lost. v1 = 1.
    Case("a main relation with a centre", "[H [A She] [P [F had] [C finished]] [U .]]", "She finished .", "1"),
    # M1 = finished, the innermost: 1. v1 = 1.
    Case(
        "a main relation with a centre in its centre",
        "[H [A She] [P [F had] [C [E just] [C finished]]] [U .]]",
        "She finished .",
        "1",
    ),
    # M1 = had, finished: 0. A1: 1. v1 = ½.
    Case("a main relation without a centre", "[H [A She] [P had finished] [U .]]", "She finished .", "1/2"),
    # M1 = sang, danced: 0. A1: 1. v1 = ½. Published: M1 = danced, the last (2): v1 = 1.
    Case(
        "a main relation with two centres",
        "[H [A They] [P [C sang] [N and] [C danced]] [U .]]",
        "They danced .",
        "1/2",
        "1",
    ),
    # M1 = hummed, danced, jumped: 1. v1 = 1. Published: below the last centre (1) are danced and jumped, of which
    # the last counts (2): M1 = jumped: 1. v1 = 1, the same.
    Case(
        "centres of centres on both sides",
        "[H [A They] [P [C [E softly] [C hummed]] [N and] [C [E wildly] [C danced] [C jumped]]] [U .]]",
        "They hummed and danced and jumped .",
        "1",
    ),
    # M1 = hummed, danced: 0. v1 = ½. Published: below danced,
    # the last, are none (1): M1 = danced (2): 0, the same.
    Case(
        "centres of a centre that is not the last",
        "[H [A They] [P [C [E softly] [C hummed]] [N and] [C danced]] [U .]]",
        "They softly hummed .",
        "1/2",
    ),
    # M1: 1. A1 = man: 1. v1 = 1.
    Case("a participant with a centre", "[H [A [E The] [E old] [C man]] [P slept] [U .]]", "A man slept .", "1"),
    # M1: 1. A1 = Ann, Lee, Bob, Ray: 0. v1 = ½. Published: A1 = all words of the first
    # centre, and the first of the other (4): Ann, Lee, Bob: 1. v1 = 1.
    Case(
        "a participant with two centres",
        "[H [A [C Ann Lee] [N and] [C Bob Ray]] [P met] [U .]]",
        "Ann Lee and Bob met .",
        "1/2",
        "1",
    ),
    # M1: 1. A1 = Ann, Bob: 1; Cid, Dee: 0. v1 = ½ + ¼. Published: each centre is one word, so that (4) leaves none
    # out: the same.
    Case(
        "two participants with two centres each",
        "[H [A [C Ann] [N and] [C Bob]] [P met] [A [C Cid] [N and] [C Dee]] [U .]]",
        "Ann and Bob met Cid .",
        "3/4",
    ),
    # n = 2, m = 1. Scene 1: M1 = tires: 1. A1 = Running (down C, then P): 1; him: 1. v1 = 1. Scene 2 (Running
    # far): M2 = Running: 1. A2 = far: 0. v2 = ½. SAMSA = 1/4 · 3/2.
    Case(
        "a scene as the centre of a participant",
        "[H [A [C [P Running] [A far]]] [P tires] [A him] [U .]]",
        "Running tires him .",
        "3/8 3/4",
    ),
    # n = m = 2. Scene 1 (She said he had left) has 1 word in sentence 1, 2 in sentence 2: W1 = he, left. M1 =
    # said: 0. A1 = She: 0; left, the centre of the scene's main relation: 1. v1 = ¼. Scene 2 (he had left) may
    # have only sentence 1, which has none of its words: W2 is empty, v2 = 0. SAMSA = 2/4 · 1/4.
    Case(
        "a scene as a participant; the earlier scene takes the sentence that fits both",
        "[H [A She] [P said] [A [A he] [P [F had] [C left]]] [U .]]",
        "She spoke . | He left .",
        "1/8",
    ),
    # n = 2, m = 1. Scene 1: M1 = seems: 1. A1 = It: 1; ran, tired: 0. v1 = ½ + ¼. Scene 2: M2 = ran, tired: 0. A2
    # = he: 1. v2 = ½. SAMSA = 1/4 · 5/4. Published: the main relations are seems, ran, tired (3). M1 = seems: 1.
    # A1 = It: 1; all of ran and the first of tired (4): 0. v1 = ¾. M2 = ran: 1. v2 = 1. SAMSA = 1/4 · 7/4.
    Case(
        "a scene with two main relations as a participant",
        "[H [A It] [P seems] [A [A he] [P ran] [S tired]] [U .]]",
        "It seems he ran .",
        "5/16 5/8",
        "7/16 7/8",
    ),
    # n = 3, m = 1. Scene 1: M1 = saw: 1. A1 = We: 1; rising (the centre of the first), falling, fast (the second
    # has none): 0. v1 = ¾. Scene 2 (it was rising): v2 = 1. Scene 3 (it falling fast): M3: 0. A3 = it: 1. v3 = ½.
    # SAMSA = 1/9 · 9/4. Published: A1 = We: 1; all of rising and the first of falling, fast (4): 1. v1 = 1. M3 is
    # falling, fast as before. SAMSA = 1/9 · 5/2.
    Case(
        "two linked scenes in a participant",
        "[H [A We] [P saw] [A [H [A=it it] [P [F was] [C rising]]] [L and] [H [A>it] [P falling fast]]] [U .]]",
        "We saw it rising and falling .",
        "1/4 3/4",
        "5/18 5/6",
    ),
    # n = 2, m = 1. Scene 1: M1 = heard: 1. A1 = I: 1; tick, the one centre that counts here: 1. v1 = 1. Scene 2
    # (tick and tock): M2 = tick, tock: 0. No participants: ½. v2 = ¼. SAMSA = 1/4 · 5/4. Published: M2 = tock, the
    # last (2): 0. A1 = I: 1; tick, the first, as before. The same.
    Case(
        "a linked scene in a participant whose main relation has two centres",
        "[H [A I] [P heard] [A [H [P [C tick] [N and] [C tock]]]] [U .]]",
        "I heard tick .",
        "5/16 5/8",
    ),
    # M1: 1. A1 = here, and, there, the participant itself: 0. v1 = ½.
    Case(
        "linked units in a participant that are no scenes",
        "[H [P Look] [A [H here] [L and] [H there]] [U !]]",
        "Look here or there !",
        "1/2",
    ),
    # n = m = 2. M1 = ran, tired: 1. v1 = 1. M2 = slept: 1. v2 = 1. Published: the main relations are ran, tired,
    # slept, of which slept is not used (3). M1 = ran: 1. v1 = 1. M2 = tired: 0. A2 = He: 1. v2 = ½. SAMSA = 2/4 ·
    # 3/2.
    Case(
        "two main relations in one scene",
        "[H [A=he He] [P ran] [S tired]] [L so] [H [A>he] [P slept] [U .]]",
        "He ran tired . | He slept .",
        "1",
        "3/4",
    ),
    # n = m = 2: the second is a scene by its remote process. Scene 1 has 3 words in sentence 1; scene 2 (she
    # likes milk) 3 in sentence 2. v1 = v2 = 1.
    Case(
        "a main relation that is remote",
        "[H [A He] [P=likes likes] [A tea]] [L and] [H [A she] [P>likes] [A milk] [U .]]",
        "He likes tea . | She likes milk .",
        "1",
    ),
    # M1 = left: 1. A1 = Ann, Bob: 1. No mark is needed. v1 = 1.
    Case("punctuation inside of units", "[H [A [C Ann] [U ,] [C Bob] [U ,]] [P [C left] [U !]]]", "Ann Bob left", "1"),
    # n = 3, m = 2. Scene 1 has no word in sentence 1, whatever its marks, and 2 in sentence 2: v1 = 1. Scene 2
    # has she in sentence 1: M2: 0, A2: 1, v2 = ½. Scene 3 has none: M3: 0, no participants: v3 = ¼. SAMSA = 2/9 ·
    # 7/4.
    Case(
        "punctuation does not decide which sentence a scene takes",
        "[H [A He] [P [U ,] sat [U ,]] [U .]] [H [A She] [P ran]] [H [P Stop]]",
        ", , . she | he sat",
        "7/18 7/12",
    ),
    # n = 3, m = 2. Scene 1 has He in sentence 1 and ran in sentence 2: it takes sentence 1, W1 = He, v1 = ½.
    # Scene 2 has sat and She: sentence 1 again, W2 = sat, v2 = ½. Scene 3 has none: v3 = 0. SAMSA = 2/9 · 1.
    Case(
        "ties go to the first sentence",
        "[H [A He] [P ran]] [H [A She] [P sat]] [H [A It] [P fell]]",
        "He sat . | She ran .",
        "2/9 1/3",
    ),
    # n = m = 2. Scene 1 takes sentence 1: v1 = 1. For scene 2 only sentence 2 is left, with none of its words: v2
    # = 0. SAMSA = 2/4 · 1.
    Case(
        "with as many sentences as scenes a sentence serves once",
        "[H [A=he He] [P ran]] [H [A>he] [P sat] [U .]]",
        "He ran and sat . | So it was .",
        "1/2",
    ),
    # n = 3, m = 2. Scenes 1 and 2 take sentence 1: v1 = v2 = 1. Scene 3 takes sentence 2: v3 = ½ + ¼. SAMSA = 2/9
    # · 11/4.
    Case(
        "with fewer sentences than scenes a sentence serves as often as needed",
        "[H [A=he He] [P ran]] [H [A>he] [P sat]] [H [P rained] [U .]]",
        "He ran and sat . | It rained .",
        "11/18 11/12",
    ),
    # M1: 1. A1 = the first dogs: 1; the second: 0. v1 = ½ + ¼.
    Case("a word that stands twice", "[H [A dogs] [P chase] [A dogs] [U .]]", "dogs chase .", "3/4"),
    # n = 3, m = 2. Scene 1 (Ann and Bob sang): Ann, and, sang in sentence 1, Bob in sentence 2. M1: 1. A1 = Ann,
    # Bob: 0. v1 = ½. Scene 2 (Bob hummed): sentence 2, v2 = 1. Scene 3 (Ann left): sentence 1, v3 = 1. SAMSA =
    # 2/9 · 5/2. Published: A1 = all of Ann and the first of Bob (4): the same.
    Case(
        "nodes below several others",
        "[H [A=both [C=ann Ann] [N and] [C=bob Bob]] [P sang]] [H [A>bob] [P hummed]] [H [A>ann] [P left] [U .]]",
        "Ann sang and left . | Bob hummed .",
        "5/9 5/6",
    ),
    # M1: 1. A1 = man, wife: 0. v1 = ½. Published: only the second centre is followed down, to wife (1), which is
    # the only centre then: A1 = wife: 1. v1 = 1.
    Case(
        "centres of both centres of a participant",
        "[H [A [C [E old] [C man]] [N and] [C [E young] [C wife]]] [P slept] [U .]]",
        "A wife slept .",
        "1/2",
        "1",
    ),
    # M1: 1. A1 = man, wife: 1. v1 = 1. Published: below wife, the last, are none, and below the first is not looked
    # (1): A1 = all words of it, old, man, and wife (4): 0. v1 = ½.
    Case(
        "centres of the first centre of a participant",
        "[H [A [C [E old] [C man]] [N and] [C wife]] [P slept] [U .]]",
        "A man and wife slept .",
        "1",
        "1/2",
    ),
    # M1: 1. A1 = Bob, Ray: 0. v1 = ½. Published: A1 = nothing, which is all of the first, and Bob, the first word
    # of the other (4): 1. v1 = 1.
    Case(
        "a participant whose first centre is implicit",
        "[H [A [C!] [C Bob Ray]] [P came] [U .]]",
        "Bob came .",
        "1/2",
        "1",
    ),
    # M1: 1. A1 = Ann, Lee: 1. v1 = 1. Published: the other centre has no first word (4): the same.
    Case(
        "a participant whose second centre is implicit",
        "[H [A [C Ann Lee] [C!]] [P came] [U .]]",
        "Ann Lee came .",
        "1",
    ),
    # n = m = 3. Each scene has its sentence, with all of its words: v1 = v2 = v3 = 1. Published: the main relations
    # are ran, tired, drove, rained (3). M1 = ran: 1. v1 = 1. M2 = tired: 0. A2 = she: 1. v2 = ½. M3 = drove: 0. A3
    # = it: 1. v3 = ½. SAMSA = 3/9 · 2.
    Case(
        "two main relations before two more scenes",
        "[H [A He] [P ran] [S tired]] [L so] [H [A she] [P drove]] [L and] [H [A it] [P rained] [U .]]",
        "He ran tired . | she drove . | it rained .",
        "1",
        "2/3",
    ),
    # n = m = 2. Scene 1 (He ran tired) has two words in each: it takes sentence 1. M1 = ran, tired: 0. A1 = He: 1.
    # v1 = ½. Scene 2 (He slept): v2 = 1. SAMSA = 2/4 · 3/2. Published: M1 = ran (3): 1. v1 = 1. M2 = tired, which
    # stands in sentence 2, but is no word of scene 2: 0. A2 = He: 1. v2 = ½. The same sum.
    Case(
        "a main relation that is compared for a scene without its words",
        "[H [A=he He] [P ran] [S tired]] [L so] [H [A>he] [P slept] [U .]]",
        "He ran . | He slept tired .",
        "3/4",
    ),
    # n = m = 2. M1 = sat, M2 = stood: one unit is one main relation, and in the list of them once (3). v1 = v2 = 1.
    Case(
        "one main relation that is a process and a state",
        "[H [A He] [P=sat sat] [S>sat]] [L and] [H [A she] [P stood] [U .]]",
        "He sat . | she stood .",
        "1",
    ),
    # n = 2, m = 0. M1 and A1 have no words: ½, ½. v1 = ½. M2 = slept: 0. A2 = He: 0. v2 = 0. SAMSA = 0/4 · ½;
    # SAMSA_abl = ½ · ½.
    Case("no sentence, and nothing said of a scene", "[H [P!] [A!] [D again]] [H [A He] [P slept] [U .]]", "", "0 1/4"),
]
