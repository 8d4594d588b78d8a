"""The function words of English: what holds a sentence together, and says little about how hard its words are.

They are the closed classes of the grammar: articles and other determiners, pronouns, prepositions, conjunctions,
auxiliary verbs, particles, the most general adverbs, what contractions leave behind, and the names that the Penn
Treebank has for brackets. All in lower case.
"""

from __future__ import annotations

FUNCTION_WORDS_NAME = "fw-en-1"  # stands in signatures: another list is another name
_CLASSES = {
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
FUNCTION_WORDS = frozenset(word for words in _CLASSES.values() for word in words.split())
