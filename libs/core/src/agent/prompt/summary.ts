import { truncateWithLength } from '../../observation/words.ts';
import type { AgentNote, AgentTurn } from '../state.ts';

/* The thread of a goal: its newest turns one by one, those before as a summary. */

/** Turns that are told one by one at the most, and how many become a summary at a time: in between the beginning of a prompt stays the same. */
const WINDOW = 20;
const BUNDLE = 10;

/** Characters of one deed, and of all deeds of a line, in a summary. */
const DEED = 60;
const DEEDS = 300;

/** How many of the oldest turns are told as a summary. */
export const summarizedTurnCount = (turns: number): number =>
  turns <= WINDOW ? 0 : Math.ceil((turns - WINDOW) / BUNDLE) * BUNDLE;

/** What stays worth knowing of a turn, however long ago it was. */
const lasting: ReadonlySet<AgentNote['what']> = new Set(['decision', 'unverified', 'stuck', 'stored', 'seen']);

/** Turns in a line for each stay on one page: what was done there, how much of it did not work, and what people decided. */
export function summarizeTurns(turns: readonly AgentTurn[], notes: readonly AgentNote[]): string[] {
  const stays: AgentTurn[][] = [];
  for (const turn of turns) {
    const last = stays.at(-1);
    if (last?.[0]?.where === turn.where) last.push(turn);
    else stays.push([turn]);
  }
  return stays.map((stay) => stayLine(stay, notes));
}

function stayLine(stay: readonly AgentTurn[], notes: readonly AgentNote[]): string {
  const numbers = stay.map(({ number }) => number);
  const [first = 0, last = 0] = [numbers[0], numbers.at(-1)];
  const deeds = stay.flatMap(({ did }) => did.map((deed) => truncateWithLength(deed, DEED)));
  const of = notes.filter(({ turn }) => numbers.includes(turn));
  const problems = of.filter(({ what }) => what === 'problem' || what === 'loop').length;
  return [
    `${first === last ? first : `${first}–${last}`}. on “${truncateWithLength(stay[0]?.where ?? '', DEED)}”: ${truncateWithLength(deeds.join('; ') || 'nothing was done', DEEDS)}`,
    ...(problems > 0 ? [`${problems} ${problems === 1 ? 'thing' : 'things'} did not work`] : []),
    ...of
      .filter(({ what }) => lasting.has(what))
      .map(({ what, note }) => `${what}: ${truncateWithLength(note, DEEDS)}`),
  ].join(' ! ');
}
