/** Activity of a run in order of time: turns of agents, notes, healed steps, files and manual control. */
import type { EventData, EventType } from '@pilothouse/contract/events/event-log.schema';
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
const agentKey = ({ step, branch = '' }: Pick<TurnRef, 'step' | 'branch'>): string => `turn ${step} ${branch} `;

const titleOfStep = (card: RunCard, step: number): string =>
  card.rows[card.rowOfStep.get(step) ?? -1]?.title ?? `Step ${step + 1}`;

/** Activity rows that an event adds. Other effects of an event are in `run-card-reducer.ts`. */
export const activityReducers: ActivityReducers = {
  'agent.turn': (card, { thought, ...position }) => {
    const { step, turn, branch } = position;
    const title = [titleOfStep(card, step), branch, `turn ${turn}`].filter((part) => part !== undefined).join(', ');
    return putRow(endRows(card, 'completed', agentKey(position)), {
      key: turnKey(position),
      title,
      detail: thought,
      status: 'running',
    });
  },
  'agent.action_started': (card, { title, ...position }) => updateRow(card, turnKey(position), { detail: title }),
  'agent.action_completed': (card, { error, ...position }) =>
    error ? updateRow(card, turnKey(position), { detail: error.message }) : card,
  'agent.note': (card, { note, step }, level) =>
    putRow(card, {
      key: `note ${nextNumber(card)}`,
      title: `Note on ${titleOfStep(card, step)}`,
      detail: note,
      status: level === 'info' ? 'completed' : 'interrupted',
    }),
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
