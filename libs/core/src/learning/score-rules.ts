import type { ErrorCode } from '@pilothouse/contract/errors/error-codes';
import type { CorrectedAction, TraceQuality, TraceSource } from '@pilothouse/contract/learning/trace.schema';
import type { TurnRecord, TurnAction } from '@pilothouse/contract/learning/turn-record.schema';
import { fingerprintOf } from '../agent/page-queries.ts';
import { checkCorrection } from './correction-check.ts';
import { observationOf } from './parse-turn-record.ts';

/* Signatures by which turns are compared. */

const signatures = new WeakMap<TurnRecord, string>();

/** Signature of a page state: its URL, and the names, values and states of its elements; null: no elements to compare. */
function pageSignature(record: TurnRecord): string | null {
  if (record.observation.elements.length === 0) return null;
  const signature = signatures.get(record) ?? fingerprintOf(observationOf(record));
  signatures.set(record, signature);
  return signature;
}

/** True if both turns observed the same page state. */
function isSamePage(record: TurnRecord, compared: TurnRecord): boolean {
  const signature = pageSignature(record);
  return signature !== null && signature === pageSignature(compared);
}

/** Signature of actions on the surface; null: no such action. */
function actionsSignature(actions: readonly TurnAction[]): string | null {
  const surfaceActions = actions.flatMap(({ action }) => (action === null ? [] : [action]));
  return surfaceActions.length === 0 ? null : JSON.stringify(surfaceActions);
}

/** True if both turns belong to the same agent. A new attempt or iteration of a step has a new agent. */
function isContinued(previous: TurnRecord, record: TurnRecord): boolean {
  const isSameAgent = previous.step === record.step && previous.branchPath === record.branchPath;
  const isByPerson = previous.source === 'person' || record.source === 'person';
  return (
    isSameAgent &&
    previous.attempt === record.attempt &&
    (isByPerson ? previous.turn <= record.turn : previous.turn < record.turn)
  );
}

/* Rules that score turns without a model. A changed rule needs a new version. */

export const SCORE_RULES_VERSION = 1;

/** Maximum duration of a good wait, in seconds. */
const MAX_GOOD_WAIT_SECONDS = 10;

/** Number of visits of one page state that counts as a loop. */
const LOOP_VISITS = 3;

/** Errors of actions that were refused before their execution. */
const REFUSAL_CODES: ReadonlySet<ErrorCode> = new Set([
  'APPROVAL_REQUIRED',
  'EGRESS_BLOCKED',
  'FORBIDDEN',
  'ACTION_UNSUPPORTED',
]);

export const scoreRuleNames = [
  'person',
  'takeover',
  'refused',
  'empty',
  'error',
  'repeated',
  'wait',
  'loop',
  'healed',
] as const;
export type ScoreRuleName = (typeof scoreRuleNames)[number];

/** Decision of a rule about a turn. */
export interface RuleFinding {
  readonly rule: ScoreRuleName;
  readonly quality: TraceQuality;
  readonly reason: string;
  readonly source: TraceSource;
  /** Actions of a person on the same page; null: no actions, or on another page. */
  readonly correctedActions: readonly CorrectedAction[] | null;
}

/** A turn with earlier turns and the next one. */
interface TurnInRun {
  readonly record: TurnRecord;
  /** Earlier turns of the same agent, newest last. */
  readonly earlier: readonly TurnRecord[];
  readonly next: TurnRecord | null;
  /** The run completed. */
  readonly isCompleted: boolean;
}

type Rule = (turn: TurnInRun) => (Pick<RuleFinding, 'reason'> & Partial<RuleFinding>) | null;

/** Rules, the most specific first. */
const rules: Readonly<Record<ScoreRuleName, Rule>> = {
  person: ({ record }) =>
    record.source === 'person'
      ? { quality: 'good', source: 'person', reason: 'A person did this under manual control.' }
      : null,
  takeover: ({ record, next }) => {
    if (next?.source !== 'person' || !isContinued(record, next) || record.actions.some(({ kind }) => kind === 'ask'))
      return null;
    return {
      source: 'person',
      reason: 'A person took over after this turn.',
      correctedActions: isSamePage(record, next) ? correctionBy(next, record) : null,
    };
  },
  refused: ({ record, earlier }) => {
    const signature = actionsSignature(record.actions);
    const refused = earlier.find(
      (turn) => hasRefusal(turn) && signature !== null && actionsSignature(turn.actions) === signature,
    );
    if (refused) return { reason: 'It repeated an action that was refused before.' };
    const isNotExecuted = signature !== null && record.outcomes.length === 0;
    const isRepeated = earlier.some((turn) => isSameTurn(turn, record));
    return isNotExecuted && isRepeated ? { reason: 'It repeated a turn on the same page, and was refused.' } : null;
  },
  empty: ({ record }) => (record.actions.length === 0 ? { reason: 'The answer has no usable action.' } : null),
  error: ({ record }) => {
    const failed = record.outcomes.find(({ error }) => error !== null);
    if (failed?.error) return { reason: `${titleOf(record, failed.sequence)} failed: ${failed.error.message}` };
    return record.verification.result === 'failed'
      ? { reason: `The turn failed${record.verification.note === '' ? '.' : `: ${record.verification.note}`}` }
      : null;
  },
  repeated: ({ record, earlier }) => {
    const previous = earlier.at(-1);
    if (previous && isSameTurn(previous, record))
      return { reason: 'It repeated the same action, although the page had not changed.' };
    return repeatsWithin(record)
      ? { reason: 'It repeated an action in the turn, without a change of the page.' }
      : null;
  },
  wait: ({ record }) => {
    const wait = record.actions.find(
      ({ action }) => action?.action === 'wait' && action.seconds > MAX_GOOD_WAIT_SECONDS,
    );
    return wait ? { reason: `It waited for more than ${MAX_GOOD_WAIT_SECONDS} seconds.` } : null;
  },
  loop: ({ record, earlier }) => {
    const [third, second, first] = [earlier.at(-3), earlier.at(-2), earlier.at(-1)];
    if (third && second && first && isSameTurn(third, first) && isSameTurn(second, record))
      return { reason: 'It alternates between the same two turns.' };
    if (record.outcomes.length === 0) return null;
    const visits = earlier.filter((turn) => turn.outcomes.length > 0 && isSamePage(turn, record));
    // Another action on a list that is opened again is progress, and a screenshot shows more than the element list.
    const isStuck = record.tier !== 'vision' && first !== undefined && visits.includes(first);
    const isRepeated = visits.some((visit) => isSameTurn(visit, record));
    return visits.length >= LOOP_VISITS - 1 && (isStuck || isRepeated)
      ? { reason: `It acted on the same page state ${visits.length + 1} times.` }
      : null;
  },
  healed: ({ record, isCompleted }) =>
    record.turn === 0 && isCompleted
      ? { quality: 'good', reason: 'The step was healed with this action, and the run completed.' }
      : null,
};

/**
 * Scores the turns of a run by rules.
 * @param records records in the order of time; null: the file is missing or damaged
 * @returns a finding for each record; null: no rule applies, a model has to decide
 */
export function findByRules(
  records: readonly (TurnRecord | null)[],
  { isCompleted }: { readonly isCompleted: boolean },
): (RuleFinding | null)[] {
  const agents = new Map<string, TurnRecord[]>();
  return records.map((record, index) => {
    if (record === null) return null;
    const agent = `${record.step} ${record.branchPath ?? ''}`;
    let earlier = agents.get(agent) ?? [];
    const last = earlier.at(-1);
    if (last && !isContinued(last, record)) earlier = [];
    agents.set(agent, [...earlier, record]);
    const turn: TurnInRun = { record, earlier, next: records[index + 1] ?? null, isCompleted };
    for (const rule of scoreRuleNames) {
      const finding = rules[rule](turn);
      if (finding) return { rule, quality: 'bad', source: 'rule', correctedActions: null, ...finding };
    }
    return null;
  });
}

const titleOf = ({ actions }: TurnRecord, sequence: number): string => {
  const title = actions.find((action) => action.sequence === sequence)?.title;
  return title === undefined ? `Action ${sequence}` : `“${title}”`;
};

const hasRefusal = ({ outcomes }: TurnRecord): boolean =>
  outcomes.some(({ error }) => error !== null && REFUSAL_CODES.has(error.code));

/** True if both turns planned the same actions on the same page. */
function isSameTurn(record: TurnRecord, compared: TurnRecord): boolean {
  const signature = actionsSignature(record.actions);
  return signature !== null && signature === actionsSignature(compared.actions) && isSamePage(record, compared);
}

/** True if an action follows an equal one that changed nothing. */
function repeatsWithin({ actions, outcomes }: TurnRecord): boolean {
  return actions.some((action, index) => {
    const previous = actions[index - 1];
    if (!previous?.action || JSON.stringify(previous.action) !== JSON.stringify(action.action)) return false;
    return outcomes.find(({ sequence }) => sequence === previous.sequence)?.hasChanged === false;
  });
}

/** Actions of a person as the correction of a turn on the same page; null if they are not valid there. */
function correctionBy(person: TurnRecord, record: TurnRecord): readonly CorrectedAction[] | null {
  const actions = person.actions.flatMap(({ action }) => (action === null ? [] : [{ kind: 'act' as const, action }]));
  return actions.length === 0 ? null : checkCorrection(actions, record).actions;
}
