import type { EventData, EventType, RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { Tier } from '@pilothouse/contract/model/tier-names';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { canAnswerWithText } from '@pilothouse/contract/run/answer-with-text';
import { isUnverified, type Result } from '@pilothouse/contract/run/outcome';
import { questionKey } from '@pilothouse/contract/run/run-question.schema';
import { activityReducers } from './card-activity.ts';
import {
  type CardResult,
  QUEUE_ROW,
  START_ROW,
  type RunCard,
  type RunCardRow,
  durationText,
  escapeMarkdown,
  oneLine,
  resultText,
} from './run-card.ts';

/** Maximum characters of the reason of an unverified step. */
const MAX_REASON_CHARS = 120;

/** Maximum characters of a row's detail. */
const MAX_DETAIL_CHARS = 300;

type EventReducers = {
  readonly [Type in EventType]?: (card: RunCard, data: EventData<Type>, epoch: number) => RunCard;
};

/** Applies an event to the card. Events without visible effect return the same card. */
export function reduceCard(card: RunCard, event: RunEvent): RunCard {
  const reducer = eventReducers[event.type] as Reducer | undefined;
  const addActivity = activityReducers[event.type] as
    ((card: RunCard, data: unknown, level: string) => RunCard) | undefined;
  const reduced = reducer ? reducer(card, event.data, event.epoch) : card;
  return addActivity ? addActivity(reduced, event.data, event.level) : reduced;
}

type Reducer = (card: RunCard, data: unknown, epoch: number) => RunCard;

const eventReducers: EventReducers = {
  'run.queued': (card, { fleet }) => waitInQueue({ ...card, status: 'queued' }, `On fleet ${fleet}`),
  'run.assigned': (card, { worker }) =>
    updateRow(
      updateRow({ ...card, status: 'running', note: '' }, START_ROW, { status: 'running', detail: '' }),
      QUEUE_ROW,
      {
        status: 'completed',
        detail: `Assigned to ${worker}`,
      },
    ),
  'run.requeued': (card, { error }) =>
    waitInQueue(interruptRows({ ...card, status: 'queued' }, 'Worker lost'), error.message),
  'run.cancelling': (card, { requestedBy: actor }) => ({
    ...card,
    isCancelling: true,
    note: `Cancellation requested by ${actor}`,
  }),
  'run.awaiting_user': (card, question, epoch) => ({
    ...updateStep(card, question.step, { status: 'interrupted', detail: 'Needs input' }),
    status: 'awaiting_user',
    question: {
      key: questionKey(question, epoch),
      reason: question.reason,
      until: question.expiresAt,
      acceptsText: canAnswerWithText(question),
      choices: question.choices,
    },
  }),
  'run.answered': (card, { step, choice, answeredBy: actor, controlToken }) => ({
    ...updateStep(card, step, {
      status: 'running',
      detail: controlToken === undefined ? `${actor} answered: ${choice}` : 'Control was released',
    }),
    status: 'running',
    question: null,
  }),
  'run.completed': (card, { output, durationMs: ms, dismissedBy }) =>
    endCard({ ...card, status: 'completed' }, 'Skipped', {
      status: 'completed',
      title: dismissedBy === undefined ? `Completed in ${durationText(ms)}` : `Marked as completed by ${dismissedBy}`,
      text: resultText(output),
    }),
  'run.failed': (card, { error }) =>
    endCard({ ...card, status: 'failed' }, 'Not reached', {
      status: 'failed',
      title: `Failed: ${error.code}`,
      text: escapeMarkdown(error.message),
    }),
  'run.cancelled': (card, { requestedBy: actor }) =>
    endCard({ ...card, status: 'cancelled' }, 'Not reached', {
      status: 'skipped',
      title: `Cancelled by ${actor}`,
      text: '',
    }),
  'step.started': (card, { step, title, summary }) =>
    updateStep(completeStart(card), step, { title, status: 'running', detail: summary }),
  'step.completed': (card, { step, durationMs: ms, tier, value, ...result }) =>
    updateStep(card, step, { status: 'completed', detail: unverifiedNote(result) + resultOfStep(ms, tier, value) }),
  'step.failed': (card, { step, error }) => updateStep(card, step, { status: 'failed', detail: error.message }),
  'step.retrying': (card, { step, attempt, maxAttempts, error }) =>
    updateStep(card, step, { detail: `Attempt ${attempt} of ${maxAttempts} failed: ${error.message}` }),
  'step.skipped': (card, { step, reason }) => updateStep(card, step, { status: 'skipped', detail: reason }),
  'branch.step_started': (card, { step, branch, title }) =>
    updateStep(card, step, { detail: branchDetail(branch, title) }),
  'agent.turn': (card, { step, branch, thought }) => updateStep(card, step, { detail: branchDetail(branch, thought) }),
  'agent.action_started': (card, { step, branch, title }) =>
    updateStep(card, step, { detail: branchDetail(branch, title) }),
  'control.action': (card, { step, operator: actor, title }) =>
    updateStep(card, step, { detail: `${actor}: ${title}` }),
  'site_limit.waiting': (card, { step, host }) =>
    step === null ? card : updateStep(card, step, { detail: `Waiting for the site limit of ${host}` }),
  'model.called': (card, { inputTokens, outputTokens, usd }) => ({
    ...card,
    usage: {
      calls: card.usage.calls + 1,
      tokens: card.usage.tokens + inputTokens + outputTokens,
      usd: card.usage.usd === null || usd === null ? null : card.usage.usd + usd,
    },
  }),
};

/** The surface is open when the first step of an attempt starts. */
const completeStart = (card: RunCard): RunCard =>
  card.rows[START_ROW]?.status === 'running' ? updateRow(card, START_ROW, { status: 'completed' }) : card;

/** Says that the effect of a completed step was not seen. */
const unverifiedNote = (result: Result): string =>
  !isUnverified(result)
    ? ''
    : result.effectReason === undefined
      ? 'Not verified; '
      : `Not verified (${oneLine(result.effectReason, MAX_REASON_CHARS)}); `;

/** Result of a step: duration, model usage and value. */
function resultOfStep(ms: number, tier: Tier, value: Json | undefined): string {
  const usage = tier === 'replay' ? durationText(ms) : `${durationText(ms)}, tier ${tier}`;
  return value === undefined || value === null
    ? usage
    : `${usage}: ${typeof value === 'string' ? value : JSON.stringify(value)}`;
}

const branchDetail = (branch: string | undefined, text: string) => (branch === undefined ? text : `${branch}: ${text}`);

/** Updates the row of a step. An unplanned step gets a row at the end. */
function updateStep(card: RunCard, step: number, changes: Partial<RunCardRow>): RunCard {
  const index = card.rowOfStep.get(step);
  if (index !== undefined) return updateRow(card, index, changes);
  const row = card.rows.length;
  const rows = [...card.rows, { title: `Step ${step + 1}`, detail: '', status: 'pending' } satisfies RunCardRow];
  return updateRow({ ...card, rows, rowOfStep: new Map([...card.rowOfStep, [step, row]]) }, row, changes);
}

function updateRow(card: RunCard, rowIndex: number, changes: Partial<RunCardRow>): RunCard {
  const rows = card.rows.map((row, index) =>
    index === rowIndex
      ? {
          ...row,
          ...changes,
          ...(changes.detail !== undefined && { detail: oneLine(changes.detail, MAX_DETAIL_CHARS) }),
        }
      : row,
  );
  return { ...card, rows };
}

const waitInQueue = (card: RunCard, detail: string): RunCard =>
  updateRow({ ...card, question: null }, QUEUE_ROW, { status: 'running', detail });

/** Ends the running rows. */
function interruptRows(card: RunCard, detail: string): RunCard {
  const rows = card.rows.map((row): RunCardRow =>
    row.status === 'running' ? { ...row, status: 'interrupted', detail } : row,
  );
  return { ...card, rows };
}

/** Ends all running rows and skips the pending ones. */
function endCard(card: RunCard, skippedDetail: string, result: CardResult): RunCard {
  const rows = card.rows.map((row): RunCardRow => {
    if (row.status === 'pending') return { ...row, status: 'skipped', detail: skippedDetail };
    if (row.status !== 'running' && row.status !== 'interrupted') return row;
    return { ...row, status: result.status };
  });
  return { ...card, rows, note: '', question: null, result };
}
