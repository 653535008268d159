/** A run's activity, oldest first: agents' contexts, turns and output checks, notes, healed steps, files and manual control. */
import type { EventData, EventType } from '@pilothouse/contract/events/event-log.schema';
import { isUnverified } from '@pilothouse/contract/run/outcome';
import { uriOriginOf } from '../origin/uri-origin.ts';
import { oneLine, type ActivityRow, type RowStatus, type RunCard } from './run-card.ts';

/** Maximum characters of a detail. */
const MAX_DETAIL_CHARS = 300;

/** Beyond the maximum the oldest rows are dropped at once, so that the list is rarely sent as a whole. */
const MAX_ROWS = 200;
const ROWS_AFTER_DROP = 100;

type ActivityReducers = {
  readonly [Type in EventType]?: (card: RunCard, data: EventData<Type>, level: string) => RunCard;
};

type TurnRef = Pick<EventData<'agent.turn'>, 'step' | 'turn' | 'branch'>;

const turnKey = ({ step, turn, branch = '' }: TurnRef): string => `${agentKey({ step, branch })}${turn}`;
type AgentRef = Pick<TurnRef, 'step' | 'branch'>;
const agentKey = ({ step, branch = '' }: AgentRef): string => `turn ${step} ${branch} `;

const titleOfGoal = (card: RunCard, { step, branch }: AgentRef): string =>
  [titleOfStep(card, step), branch].filter((part) => part !== undefined).join(', ');

const titleOfStep = (card: RunCard, step: number): string =>
  card.rows[card.rowOfStep.get(step) ?? -1]?.title ?? `Step ${step + 1}`;

/** Activity rows that an event adds. Other effects of an event are in `run-card-reducer.ts`. */
export const activityReducers: ActivityReducers = {
  'agent.turn': (card, data) => {
    const { thought } = data;
    const withContext = putContext(endRows(card, 'completed', agentKey(data)), data);
    return putRow(withContext, {
      key: turnKey(data),
      title: `${titleOfGoal(card, data)}, turn ${data.turn}`,
      detail: thought,
      status: 'running',
    });
  },
  'agent.action_started': (card, { title, ...position }) => updateRow(card, turnKey(position), { detail: title }),
  'agent.action_completed': (card, { error, outcome, effect, effectReason, ...position }) => {
    if (error) return updateRow(card, turnKey(position), { detail: error.message });
    // The next observation of the agent shows the effect of most other actions.
    const isNoted = isUnverified({ outcome, effect }) && effectReason !== undefined;
    return isNoted ? updateRow(card, turnKey(position), { detail: `Not verified: ${effectReason}` }) : card;
  },
  'agent.note': (card, data, level) => {
    const { note, step, kind, isGoalMet } = data;
    if (isGoalMet || kind === 'unverified') return putCheck(card, data, note, isGoalMet ? 'completed' : 'interrupted');
    return putRow(card, {
      key: `note ${nextNumber(card)}`,
      title: `Note on ${titleOfStep(card, step)}`,
      detail: note,
      status: level === 'info' ? 'completed' : 'interrupted',
    });
  },
  'agent.answer_sources': (card, data) => {
    const { missing, unchecked = [] } = data;
    const isComplete = missing.length === 0 && unchecked.length === 0;
    const detail =
      missing.length > 0
        ? `No page shows ${missing.map((pointer) => pointer || 'the answer').join(', ')}`
        : isComplete
          ? 'Pages show the answer'
          : 'The answer is too large: not all of it was checked';
    return putCheck(card, data, detail, isComplete ? 'completed' : 'interrupted');
  },
  'step.healed': (card, { step, element }) =>
    putRow(card, {
      key: `heal ${nextNumber(card)}`,
      title: `Healed ${titleOfStep(card, step)}`,
      detail: `No locator matched. Used ${element}`,
      status: 'completed',
    }),
  'artifact.created': (card, { artifact, kind, name, size }) =>
    // Screenshots, logs and records of turns are not results.
    kind === 'screenshot' || kind === 'trace' || kind === 'turn'
      ? card
      : putRow(card, {
          key: `file ${artifact}`,
          title: `File ${name}`,
          detail: `${kind}, ${size} bytes`,
          status: 'completed',
        }),
  'control.taken': (card, { operator, token }) =>
    putRow(card, { key: `control ${token}`, title: `${operator} has control`, detail: '', status: 'running' }),
  'control.action': (card, { title }) => {
    const active = card.activity.findLast(({ key, status }) => key.startsWith('control ') && status === 'running');
    return active ? updateRow(card, active.key, { detail: title }) : card;
  },
  'control.released': (card, { operator, token }) =>
    updateRow(card, `control ${token}`, { title: `${operator} released control`, status: 'completed' }),
  'step.completed': (card, { step }) => endRows(card, 'completed', `turn ${step} `),
  'step.failed': (card, { step }) => endRows(card, 'failed', `turn ${step} `),
  'run.requeued': (card) => endRows(card, 'interrupted'),
  'run.completed': (card) => endRows(card, 'completed'),
  'run.failed': (card) => endRows(card, 'interrupted'),
  'run.cancelled': (card) => endRows(card, 'interrupted'),
};

/** Shows what a goal used besides pages. Without notes and cached actions there is no row. */
function putContext(card: RunCard, { notes = 0, source, page, ...position }: EventData<'agent.turn'>): RunCard {
  const isCached = source === 'cache';
  if (notes === 0 && !isCached) return card;
  const key = `context ${position.step} ${position.branch ?? ''}`;
  const previous = card.activity.find((row) => row.key === key)?.context ?? { notes: new Map(), cachedTurns: 0 };
  const context = {
    notes: notes === 0 ? previous.notes : new Map([...previous.notes, [uriOriginOf(page?.url ?? '').name, notes]]),
    cachedTurns: previous.cachedTurns + (isCached ? 1 : 0),
  };
  const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;
  const parts = [
    ...[...context.notes].map(([origin, count]) => `${counted(count, 'note')} about ${origin}`),
    ...(context.cachedTurns > 0 ? [`actions of an earlier run in ${counted(context.cachedTurns, 'turn')}`] : []),
  ];
  const title = `Context of ${titleOfGoal(card, position)}`;
  return putRow(card, { key, title, detail: parts.join(', '), status: 'completed', context });
}

/** Shows whether the result of a goal was accepted. */
const putCheck = (card: RunCard, position: AgentRef, detail: string, status: RowStatus): RunCard =>
  putRow(card, {
    ...{ key: `check ${position.step} ${position.branch ?? ''}`, detail, status },
    title: `Output check of ${titleOfGoal(card, position)}`,
  });

/** Number of the next row, unique in the run. */
const nextNumber = ({ activity, droppedActivity }: RunCard): number => droppedActivity + activity.length;

/** Adds a row, or replaces the one with its key: an attempt after a lost worker repeats turns. */
function putRow(card: RunCard, row: ActivityRow): RunCard {
  if (card.activity.some(({ key }) => key === row.key)) return updateRow(card, row.key, row);
  const activity = [...card.activity, { ...row, detail: oneLine(row.detail, MAX_DETAIL_CHARS) }];
  if (activity.length <= MAX_ROWS) return { ...card, activity };
  const dropped = activity.length - ROWS_AFTER_DROP;
  return { ...card, activity: activity.slice(dropped), droppedActivity: card.droppedActivity + dropped };
}

function updateRow(card: RunCard, key: string, { detail, ...changes }: Partial<ActivityRow>): RunCard {
  if (!card.activity.some((row) => row.key === key)) return card;
  const shortened = detail === undefined ? {} : { detail: oneLine(detail, MAX_DETAIL_CHARS) };
  return {
    ...card,
    activity: card.activity.map((row) => (row.key === key ? { ...row, ...changes, ...shortened } : row)),
  };
}

/** Ends the running rows whose key starts with a prefix. */
function endRows(card: RunCard, status: RowStatus, prefix = ''): RunCard {
  const isEnding = (row: ActivityRow) => row.status === 'running' && row.key.startsWith(prefix);
  if (!card.activity.some(isEnding)) return card;
  return { ...card, activity: card.activity.map((row) => (isEnding(row) ? { ...row, status } : row)) };
}
