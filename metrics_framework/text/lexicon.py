"""Word lists of English, in lower case.

`FUNCTION_WORDS` are excluded from lexical complexity: determiners, pronouns, prepositions, conjunctions, auxiliary
verbs, particles, the most general adverbs, parts of contractions, and the bracket names of the Penn Treebank.
`WORDS_BY_PART_OF_SPEECH` lists words whose part of speech does not follow from their ending.

Scores depend on both lists: a change to the first needs a new `FUNCTION_WORDS_NAME`.
"""

from __future__ import annotations

FUNCTION_WORDS_NAME = "fw-en-1"  # part of signatures
_FUNCTION_WORDS_BY_CLASS = {
    "determiners": (
        "a an the this that these those each every either neither both all any some no such another other others"
        " same own few fewer many more most much less least several half enough"
    ),
    "pronouns": (
        "i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she"
        " her hers herself it its itself they them their theirs themselves one oneself who whom whose which what"
        " whoever whatever whichever someone somebody something anyone anybody anything everyone everybody"
        " everything none nobody nothing"
    ),
    "prepositions": (
        "about above across after against along among around as at before behind below beneath beside besides"
        " between beyond by despite down during except for from in inside into near of off on onto out outside"
        " over per since through throughout to toward towards under until up upon via with within without"
    ),
    "conjunctions": (
        "and but or nor so yet because although though while whereas if unless whether than once when whenever"
        " where wherever why how"
    ),
    "auxiliaries": (
        "am is are was were be been being do does did doing done have has had having can cannot could may might"
        " must shall should will would ought need"
    ),
    "particles and adverbs": (
        "not never here there then now thus hence therefore however too very also just only even still again ever"
        " always often already almost quite rather else away back further"
    ),
    "contractions": (
        "'s 're 've 'd 'll 'm n't s t d m ll re ve don't doesn't didn't isn't aren't wasn't weren't haven't"
        " hasn't hadn't can't couldn't won't wouldn't shan't shouldn't mustn't mightn't needn't i'm i've i'll i'd"
        " you're you've you'll you'd he's he'll he'd she's she'll she'd it's it'll it'd we're we've we'll we'd"
        " they're they've they'll they'd that's there's here's who's what's let's"
    ),
    "brackets": "-lrb- -rrb- -lsb- -rsb- -lcb- -rcb-",
}
FUNCTION_WORDS = frozenset(word for words in _FUNCTION_WORDS_BY_CLASS.values() for word in words.split())

# ---- parts of speech ------------------------------------------------------------------------------------------------

NOUN, VERB, ADJECTIVE, ADVERB, NUMBER, PUNCTUATION = "noun", "verb", "adjective", "adverb", "number", "punctuation"
DETERMINER, PRONOUN, PREPOSITION, CONJUNCTION = "determiner", "pronoun", "preposition", "conjunction"
AUXILIARY, PARTICLE = "auxiliary", "particle"
WORDS_BY_PART_OF_SPEECH = {
    DETERMINER: "a an the this that these those each every either neither some any no all both half such another many"
    " much few several most more less fewer least enough",
    PRONOUN: "i you he she it we they me him her us them my your his its our their mine yours hers ours theirs"
    " myself yourself himself herself itself ourselves yourselves themselves who whom whose which what"
    " whoever whatever someone somebody something anyone anybody anything everyone everybody everything"
    " nobody nothing none one",
    PREPOSITION: "of in to for on with at by from about into through during before after over under between against"
    " without within along across behind beyond except up down out off above below near since until among"
    " around despite towards toward upon onto per via like unlike besides beside inside outside throughout"
    " alongside amid",
    CONJUNCTION: "and or but nor so yet if because although though while whereas unless when whenever where wherever"
    " whether than as once",
    AUXILIARY: "be am is are was were been being have has had having do does did done doing will would shall should"
    " can could may might must ought ca wo 's 're 'm 've 'll 'd",
    PARTICLE: "not n't 't '",
    ADVERB: "also very too just only even still already always never often sometimes usually now then here there"
    " again almost quite rather soon later ago away back perhaps maybe however therefore thus hence"
    " instead together well far ever",
    NUMBER: "zero two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
    " seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand"
    " million billion",
    ADJECTIVE: "good bad new old big small large great little long short high low young early late first last next"
    " other own same different main major important early able few own certain second third",
    VERB: "go goes went gone make makes made take takes took taken give gives gave given get gets got come"
    " comes came become becomes became begin begins began begun see sees saw seen say says said know knows"
    " knew known think thought find finds found leave leaves left lead leads led hold holds held bring"
    " brought build built buy bought choose chose chosen draw drew drawn fall fell fallen feel felt grow"
    " grew grown keep kept lose lost mean means meant meet met pay paid rise rose risen run runs ran sell"
    " sold send sent show shows shown sit sat speak spoke stand stood tell told throw threw thrown"
    " understand wear wore win wins won write writes wrote written let put set use uses call include"
    " includes include help helps work works need needs want wants try tries start starts stop",
}


_WORDS = (
    "i me my myself we our ours ourselves you you're you've you'll you'd your yours yourself yourselves he him his"
    " himself she she's her hers herself it it's its itself they them their theirs themselves what which who whom this"
    " that that'll these those am is are was were be been being have has had having do does did doing a an the and but"
    " if or because as until while of at by for with about against between into through during before after above below"
    " to from up down in out on off over under again further then once here there when where why how all any both each"
    " few more most other some such no nor not only own same so than too very s t can will just don don't should"
    " should've now d ll m o re ve y ain aren aren't couldn couldn't didn didn't doesn doesn't hadn hadn't hasn hasn't"
    " haven haven't isn isn't ma mightn mightn't mustn mustn't needn needn't shan shan't shouldn shouldn't wasn wasn't"
    " weren weren't won won't wouldn wouldn't"
)
STOP_WORDS = frozenset(_WORDS.split())
