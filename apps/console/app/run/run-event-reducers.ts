import type { AgentThinking } from '@pilothouse/contract/events/agent.events';
import type { EventData, EventType, RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { Tier } from '@pilothouse/contract/model/tier-names';
import type { OpenQuestion } from '@pilothouse/contract/run/run-question.schema';
import type { RunStatus } from '@pilothouse/contract/run/run-status';
import { displayTitle } from '@pilothouse/core/workflow/display-title';
import {
  type AnswerSource,
  createStepState,
  type FailedAttempt,
  type OpenDialog,
  type RunState,
  type StepState,
  type Turn,
  type Wait,
} from './run-state.ts';

/** Applies events to a state. Events that the state already contains are ignored. */
export function applyEvents(state: RunState, events: readonly RunEvent[]): RunState {
  const next: RunState = {
    ...state,
    steps: [...state.steps],
    calls: [...state.calls],
    artifacts: [...state.artifacts],
  };
  for (const event of events) {
    if (event.seq <= next.seq) continue;
    next.seq = event.seq;
    const reducer = reducers[event.type] as ((state: RunState, data: unknown, event: RunEvent) => void) | undefined;
    reducer?.(next, event.data, event);
  }
  return next;
}

/** Adds a partial thought. A thought that arrives after its turn, or while the step does not run, is ignored. */
export function applyThinking(state: RunState, thinking: AgentThinking): RunState {
  const step = state.steps.find(({ index }) => index === thinking.step);
  const branch = branchOf(thinking);
  // Plans and verdicts belong to a turn that is already complete.
  const isTurnComplete =
    thinking.subject === undefined &&
    step?.turns.some(
      (candidate) => candidate.branch === branch && candidate.turn >= thinking.turn && candidate.page !== null,
    );
  if (step?.status !== 'running' || isTurnComplete) return state;
  return { ...state, thinking: [...state.thinking.filter((earlier) => !isSameBranch(earlier, thinking)), thinking] };
}

type BranchRef = Pick<AgentThinking, 'step' | 'branch' | 'branchPath'>;

/** Path of a goal in the branches of its step; null: the goal is the step. */
const branchOf = ({ branch, branchPath }: BranchRef): string | null =>
  branch === undefined ? null : `${branch}${branchPath === undefined ? '' : `/${branchPath}`}`;

const isSameBranch = (first: BranchRef, second: BranchRef) =>
  first.step === second.step && branchOf(first) === branchOf(second);

/** Removes the partial thought of a branch once its turn is complete. */
function endThinking(state: RunState, position: BranchRef): void {
  state.thinking = state.thinking.filter((thought) => !isSameBranch(thought, position));
}

/** Updates a step. A step that control flow added is inserted at its index. */
function updateStep(state: RunState, index: number, patch: (step: StepState) => Partial<StepState>): void {
  let position = state.steps.findIndex((step) => step.index >= index);
  if (position < 0) position = state.steps.length;
  const existing = state.steps[position];
  const isExisting = existing?.index === index;
  const step = isExisting ? existing : createStepState(index);
  state.steps.splice(position, isExisting ? 1 : 0, { ...step, ...patch(step) });
}

type TurnRef = Pick<EventData<'agent.note'>, 'step' | 'turn' | 'branch' | 'branchPath'>;

/** Updates a turn. @param time of the event */
function updateTurn(state: RunState, position: TurnRef, time: string, patch: (turn: Turn) => Partial<Turn>): void {
  const { step, turn } = position;
  const branch = branchOf(position);
  updateStep(state, step, ({ turns }) => {
    const empty: Turn = {
      branch,
      turn,
      thought: '',
      page: null,
      subGoals: null,
      actions: [],
      notes: [],
      endedAt: time,
    };
    const existing = turns.find((candidate) => candidate.turn === turn && candidate.branch === branch);
    const updated = { ...(existing ?? empty), ...patch(existing ?? empty), endedAt: time };
    return {
      turns: existing ? turns.map((candidate) => (candidate === existing ? updated : candidate)) : [...turns, updated],
    };
  });
}

/** Marks active steps as interrupted: the run waits, has finished or lost its worker. */
function interruptSteps(state: RunState): void {
  state.thinking = [];
  state.steps = state.steps.map((step) =>
    step.status === 'running' || step.status === 'retrying'
      ? { ...step, status: 'interrupted', nextAttemptAt: null }
      : step,
  );
}

function endRun(state: RunState, status: RunStatus, { at: time }: RunEvent): void {
  Object.assign(state, { status, finishedAt: time, question: null, cancelling: null, openDialogs: [] });
  if (state.control) state.control = { ...state.control, isActive: false };
  switchWait(state, null, time);
  interruptSteps(state);
}

/** Ends the current wait of a run. @param next kind of the wait that begins; null: the run continues or has ended */
function switchWait(state: RunState, next: Wait['kind'] | null, time: string): void {
  const waits = state.waits.map((wait) => (wait.endedAt === null ? { ...wait, endedAt: time } : wait));
  state.waits = next === null ? waits : [...waits, { kind: next, startedAt: time, endedAt: null }];
}

type Reducers = { [Type in EventType]?: (state: RunState, data: EventData<Type>, event: RunEvent) => void };

const reducers: Reducers = {
  'run.queued': (state) => void Object.assign(state, { status: 'queued' }),
  'run.assigned'(state, { worker }, { at: time, epoch }) {
    Object.assign(state, { status: 'running', worker, epoch, closedAt: null, startedAt: state.startedAt ?? time });
    switchWait(state, null, time);
  },
  'run.requeued'(state, _data, { at: time }) {
    Object.assign(state, { status: 'queued', worker: null, question: null, openDialogs: [] });
    switchWait(state, 'queued', time);
    interruptSteps(state);
  },
  'run.cancelling': (state, { requestedBy: actor }) =>
    void Object.assign(state, { cancelling: actor, cancelledBy: actor }),
  'run.awaiting_user'(state, question, { at: time }) {
    const open: OpenQuestion = { ...question, askedAt: time };
    Object.assign(state, { status: 'awaiting_user', question: open });
    switchWait(state, 'awaiting_user', time);
    interruptSteps(state);
  },
  'run.slot_released': (state, _data, { at: time }) => void Object.assign(state, { worker: null, closedAt: time }),
  'run.answered'(state, { step, choice, answeredBy: actor, text, controlToken }, { at: time }) {
    switchWait(state, state.worker === null ? 'queued' : null, time);
    Object.assign(state, { status: state.worker === null ? 'queued' : 'running', question: null });
    if (controlToken === undefined) updateStep(state, step, () => ({ note: `${actor} answered: ${text ?? choice}` }));
    // The step was interrupted by a person who took control, and resumes.
    else if (state.worker !== null)
      updateStep(state, step, ({ status }) => ({ status: status === 'interrupted' ? 'running' : status }));
  },
  'run.completed'(state, { output }, event) {
    state.output = output;
    endRun(state, 'completed', event);
  },
  'run.failed'(state, { error }, event) {
    state.error = error;
    endRun(state, 'failed', event);
  },
  'run.cancelled'(state, { requestedBy: actor }, event) {
    // The confirmation of the worker does not name the requester.
    if (state.cancelledBy === null && actor !== 'request') state.cancelledBy = actor;
    endRun(state, 'cancelled', event);
  },
  'step.started'(state, { step, path, label, title, action, summary, attempt = 1 }, event) {
    updateStep(state, step, (current) => ({
      path: path ?? current.path,
      number: label ?? path ?? current.number,
      title: displayTitle(title, state),
      action,
      summary: displayTitle(summary, state),
      status: 'running',
      startedAt: event.at,
      finishedAt: null,
      error: null,
      result: null,
      attempts: Math.max(current.attempts, attempt),
      nextAttemptAt: null,
    }));
  },
  'step.completed'(state, { step, tier, value, located, outcome, effect, effectReason = null, page }, { at: time }) {
    state.thinking = state.thinking.filter((thought) => thought.step !== step);
    updateStep(state, step, () => ({
      status: 'completed',
      tier,
      value: value ?? null,
      finishedAt: time,
      page,
      error: null,
      located: located && { locator: located.locator, triedCount: located.triedCount, tried: located.tried },
      result: { outcome, effect, effectReason },
    }));
  },
  'step.healed': (state, { step, element }) => updateStep(state, step, () => ({ healedElement: element })),
  'step.failed'(state, { step, error, outcome, effect, effectReason = null }, { at: time }) {
    state.thinking = state.thinking.filter((thought) => thought.step !== step);
    updateStep(state, step, () => ({
      status: 'failed',
      error,
      finishedAt: time,
      result: { outcome, effect, effectReason },
    }));
  },
  'step.retrying'(state, { step, attempt, maxAttempts, error, durationMs, nextAttemptAt }, { at: time }) {
    state.thinking = state.thinking.filter((thought) => thought.step !== step);
    const failed: FailedAttempt = { attempt, maxAttempts, code: error.code, message: error.message, durationMs };
    updateStep(state, step, ({ attempts, failedAttempts }) => ({
      status: 'retrying',
      finishedAt: time,
      attempts: Math.max(attempts, attempt),
      failedAttempts: [...failedAttempts.filter((earlier) => earlier.attempt !== attempt), failed],
      nextAttemptAt,
    }));
  },
  'step.skipped': (state, { step, reason, outcome, effect, effectReason = null }, { at: time }) =>
    updateStep(state, step, () => ({
      status: 'skipped',
      note: reason,
      finishedAt: time,
      result: { outcome, effect, effectReason },
    })),
  'branch.step_started': (state, { step, branch, title }) =>
    updateStep(state, step, () => ({ note: `Branch ${branch}: ${displayTitle(title, state)}` })),
  'agent.turn'(state, { thought, page, subGoals = null, ...position }, { at: time }) {
    endThinking(state, position);
    updateTurn(state, position, time, () => ({ thought, page: page?.url ?? null, subGoals }));
  },
  'agent.action_started': (state, { sequence: n, title, ...position }, { at: time }) =>
    updateTurn(state, position, time, ({ actions }) => ({
      actions: [
        ...actions.filter((action) => action.n !== n),
        { n, title: displayTitle(title, state), ms: null, error: null, result: null },
      ],
    })),
  'agent.action_completed'(
    state,
    { sequence: n, durationMs: ms, error, outcome, effect, effectReason = null, ...position },
    { at: time },
  ) {
    const end = { ms, error: error?.message ?? null, result: { outcome, effect, effectReason } };
    updateTurn(state, position, time, ({ actions }) => ({
      actions: actions.map((action) => (action.n === n ? { ...action, ...end } : action)),
    }));
  },
  'agent.note'(state, { note, ...position }, { level, at: time }) {
    endThinking(state, position);
    updateTurn(state, position, time, ({ notes }) => ({ notes: [...notes, { note, isPositive: level === 'info' }] }));
  },
  'agent.answer_sources'(state, { sources, computed, missing, unchecked = [], ...position }, { message, at: time }) {
    updateTurn(state, position, time, ({ notes }) => ({
      notes: [...notes, { note: message, isPositive: missing.length === 0 && unchecked.length === 0 }],
    }));
    const withOrigin = (origin: AnswerSource['origin']) => (pointer: string) => ({ pointer, origin });
    updateStep(state, position.step, () => ({
      answerSources: [
        ...missing.map(withOrigin('missing')),
        ...unchecked.map(withOrigin('unchecked')),
        ...sources.map(({ pointer }) => pointer).map(withOrigin('page')),
        ...computed.map(withOrigin('computed')),
      ],
    }));
  },
  'control.taken': (state, { operator, token }) =>
    void Object.assign(state, { control: { operator, token, isActive: true }, dialog: null, openDialogs: [] }),
  'control.released'(state, { token }) {
    if (state.control?.token !== token) return;
    Object.assign(state, { control: { ...state.control, isActive: false }, dialog: null, openDialogs: [] });
  },
  'dialog.opened'(state, { dialog, kind, question, text, multiple = false }) {
    const open: OpenDialog = { dialog, kind, question, text, multiple };
    Object.assign(state, { dialog: null, openDialogs: [...state.openDialogs, open] });
  },
  'dialog.closed'(state, { dialog, reason }, { message }) {
    state.openDialogs = state.openDialogs.filter((openDialog) => openDialog.dialog !== dialog);
    if (reason === 'failed') state.dialog = message;
  },
  'run.log'(state, { facts }, { message }) {
    if ('dialog' in facts) state.dialog = `${message}. A dialog without an answer is dismissed after 30 seconds.`;
  },
  'control.action': (state, { step, operator: actor, title }) =>
    updateStep(state, step, ({ controlActions }) => ({
      controlActions: [...controlActions, `${actor}: ${displayTitle(title, state)}`],
    })),
  'artifact.created'(state, { artifact, step, kind, moment, name, contentType, size }, { at: time }) {
    if (state.artifacts.some(({ id }) => id === artifact)) return;
    state.artifacts.push({ id: artifact, step, kind, moment, name, contentType, size, createdAt: time });
  },
  'model.called'(
    state,
    { step, role, tier = defaultTier(role), provider, model, durationMs: ms, usd, ...usage },
    { at: time },
  ) {
    const { inputTokens: input, outputTokens: output } = usage;
    state.calls.push({
      step,
      role,
      tier,
      model: `${provider}/${model}`,
      durationMs: ms,
      input,
      output,
      usd,
      calledAt: time,
    });
  },
};

/** Tier of a model call that does not name one. */
const defaultTier = (role: string): Tier => (role === 'plan' ? 'replan' : role === 'vision' ? 'vision' : 'text');
