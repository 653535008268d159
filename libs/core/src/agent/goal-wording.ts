/** First words of a goal that asks for information. */
const READING_WORDS: ReadonlySet<string> = new Set(
  'what which who whose when where how why is are does do has have read say tell describe identify summarize count find report list extract compare'.split(
    ' ',
  ),
);

/** Words of a goal that asks for a change or needs actions, without their ending. */
const ACTION_WORDS: ReadonlySet<string> = new Set(
  'abuse accept activate add allow answer append apply approve archive assign attach begin block book browse buy cancel change check choose clear click close comment complete confirm connect convert copy create cut deactivate decline delete deny deploy disable disconnect download draft drag drop edit empty enable enter erase expand export extend file fill filter finish follow format forward generate give go grant hide import increase insert install invite join launch leave like log login make mark merge message modify move navigate next open order organize pause pay pin place play post press print promote publish purchase put refresh register reject reload remove rename renew reopen replace reply request reschedule reserve reset resolve restart restore resume return revoke rid run sale save schedule scroll search select send set share sign signup sort spam start stop submit subscribe switch tick toggle transfer translate turn type unblock uncheck undo unfollow uninstall unlock unsubscribe update upgrade upload use verify visit vote withdraw write'.split(
    ' ',
  ),
);

/** True if a goal, in English, begins like a request for information and names no action. Other goals may ask for a change. */
export function asksToReadOnly(goal: string): boolean {
  const [first = '', ...rest] = goal.toLowerCase().match(/\p{L}+/gu) ?? [];
  return READING_WORDS.has(first) && !rest.some(isActionWord);
}

/** Last words of a goal that asks for a page. "Open a ticket" asks for a change. */
const PAGE_WORDS: ReadonlySet<string> = new Set(
  'page tab section screen site website article category folder view'.split(' '),
);

/** True if a goal, in English, asks only for a page: "Go to the pricing page", "Open the history tab". */
export function asksToOpenPage(goal: string): boolean {
  const [first = '', ...rest] = goal.toLowerCase().match(/\p{L}+/gu) ?? [];
  const hasPreposition = (first === 'go' || first === 'navigate') && rest[0] === 'to';
  const names = hasPreposition ? rest.slice(1) : rest;
  const isOpening = hasPreposition || first === 'visit';
  const isForPage = (first === 'open' || first === 'show') && PAGE_WORDS.has(names.at(-1) ?? '');
  return (isOpening || isForPage) && !names.some((word) => CONNECTIVES.has(word) || isActionWord(word));
}

/** Words that add a second request. */
const CONNECTIVES: ReadonlySet<string> = new Set(['and', 'then', 'to']);

const isActionWord = (word: string): boolean => stemsOf(word).some((stem) => ACTION_WORDS.has(stem));

/** The word without an English ending: `adding`, `added` and `adds` are `add`; `submitted` is `submit`. */
function stemsOf(word: string): string[] {
  const stems = [
    word,
    word.replace(/s$/, ''),
    word.replace(/(?:es|ed|ing)$/, ''),
    word.replace(/ing$/, 'e'),
    word.replace(/d$/, ''),
  ];
  return [...stems, ...stems.map((stem) => stem.replace(/([a-z])\1$/, '$1'))];
}
