import type {
  ArtifactKind,
  ErrorView,
  EventData,
  EventType,
  Json,
  OpenQuestion,
  RunEvent,
  RunStatus,
  RunStepView,
  RunView,
  ScreenshotMoment,
  StepStatus,
  AgentThinking,
  Tier,
} from '@pilothouse/contract';

/** What an agent did in one turn of a step. */
export interface Turn {
  /** Where the goal stands in the branches of the step; null: it is the step. */
  branch: string | null;
  turn: number;
  thought: string;
  page: string | null;
  /** What is done of the goal and what is next, as the agent says; null: nothing new. */
  subGoals: string | null;
  moves: { n: number; title: string; ms: number | null; error: string | null }[];
  /** `good`: it goes as it should. */
  notes: { note: string; good: boolean }[];
}

/** An attempt of a step that failed. */
export interface FailedAttempt {
  attempt: number;
  maxAttempts: number;
  code: string;
  message: string;
  durationMs: number;
}

export interface StepState {
  index: number;
  path: string;
  title: string;
  action: string;
  summary: string;
  status: StepStatus | 'interrupted';
  tier: Tier | null;
  startedAt: string | null;
  finishedAt: string | null;
  /** Attempts that began, or 0. */
  attempts: number;
  /** Attempts that failed and were followed by another one, as far as events tell. */
  failedAttempts: FailedAttempt[];
  /** When the next attempt begins, while the step waits for it. */
  nextAttemptAt: string | null;
  value: Json;
  error: ErrorView | null;
  /** What is to say of it besides: why it was skipped, which locator found the element. */
  note: string;
  /** What it was done to when its own locators found nothing, in words. */
  healedElement: string | null;
  page: { url: string; title: string } | null;
  turns: Turn[];
  /** What people at the wheel did before it went on, in a line each. */
  controlActions: string[];
}

export interface ModelCall {
  step: number | null;
  role: string;
  /** Of the ladder: 1 by text, 2 by pictures, 3 another way. */
  tier: Tier;
  model: string;
  durationMs: number;
  input: number;
  output: number;
  usd: number | null;
  at: string;
}

export interface RunArtifact {
  id: string;
  step: number | null;
  kind: ArtifactKind;
  /** Of a screenshot. */
  moment?: ScreenshotMoment | undefined;
  name: string;
  contentType: string;
  size: number;
  at: string;
}

/** A dialog or a file chooser of a page that waits for its answer. */
export type OpenDialog = Pick<EventData<'dialog.opened'>, 'dialog' | 'kind' | 'question' | 'text'> & {
  /** True if the file chooser takes more than one file. */
  multiple: boolean;
};

/** A run as its page tells it. Plain data: the server begins it, and the page goes on with it, event by event. */
export interface RunState {
  run: string;
  status: RunStatus;
  /** Number of the last event it knows. */
  seq: number;
  worker: string | null;
  epoch: number;
  startedAt: string | null;
  finishedAt: string | null;
  output: Json;
  error: ErrorView | null;
  question: OpenQuestion | null;
  /** When the browser of the question was closed; null: it is open, or that is not known. */
  closedAt: string | null;
  cancelling: string | null;
  /** Who cancelled it; null: it was not cancelled, or that is not known. */
  cancelledBy: string | null;
  /** Who took the wheel last; null: nobody did. */
  control: { by: string; token: number; isActive: boolean } | null;
  /** The last dialog that was not answered, or files that the page did not get, while a person has control; null: none. */
  dialog: string | null;
  /** Dialogs of pages that wait for the person in control, the oldest first. */
  openDialogs: OpenDialog[];
  steps: StepState[];
  calls: ModelCall[];
  files: RunArtifact[];
  /** What agents are thinking, while their models speak: in branches several at once. */
  thinking: AgentThinking[];
}

const isOver = (status: RunStatus) => status === 'completed' || status === 'failed' || status === 'cancelled';

/** The story as the run and its steps are now, before any event. */
export const createRunState = (run: RunView, steps: readonly RunStepView[]): RunState => ({
  run: run.id,
  status: run.status,
  seq: 0,
  worker: run.worker,
  epoch: run.epoch,
  startedAt: run.startedAt,
  finishedAt: run.finishedAt,
  output: run.output,
  error: run.error,
  question: run.question,
  closedAt: null,
  cancelling: null,
  cancelledBy: null,
  dialog: null,
  openDialogs: [],
  control: null,
  steps: steps.map((step) => ({
    ...step,
    summary: '',
    note: '',
    healedElement: null,
    page: null,
    turns: [],
    controlActions: [],
    failedAttempts: [],
    nextAttemptAt: null,
  })),
  calls: [],
  files: [],
  thinking: [],
});

/** The story after further events. Those it knows change nothing. */
export function applyEvents(state: RunState, events: readonly RunEvent[]): RunState {
  const next: RunState = { ...state, steps: [...state.steps], calls: [...state.calls], files: [...state.files] };
  for (const event of events) {
    if (event.seq <= next.seq) continue;
    next.seq = event.seq;
    const told = reducers[event.type] as ((state: RunState, data: unknown, event: RunEvent) => void) | undefined;
    told?.(next, event.data, event);
  }
  return next;
}

/** The story while a model speaks. What is told too late, when the thought is there or the run goes on no more, changes nothing. */
export function applyThinking(state: RunState, thinking: AgentThinking): RunState {
  const step = state.steps.find(({ index }) => index === thinking.step);
  const branch = branchOf(thinking);
  // A plan, and a verdict, are of a turn that is known.
  const isKnown =
    thinking.subject === undefined &&
    step?.turns.some((one) => one.branch === branch && one.turn >= thinking.turn && one.page !== null);
  if (step?.status !== 'running' || isKnown) return state;
  return { ...state, thinking: [...state.thinking.filter((one) => !isSamePlace(one, thinking)), thinking] };
}

type Place = Pick<AgentThinking, 'step' | 'branch' | 'branchPath'>;

/** Where a goal stands in the branches of its step; null: it is the step. */
const branchOf = ({ branch, branchPath }: Place): string | null =>
  branch === undefined ? null : `${branch}${branchPath === undefined ? '' : `/${branchPath}`}`;

const isSamePlace = (one: Place, other: Place) => one.step === other.step && branchOf(one) === branchOf(other);

/** Who was thinking there has said it. */
function thought(state: RunState, place: Place): void {
  state.thinking = state.thinking.filter((one) => !isSamePlace(one, place));
}

/** Changes a step; one that was not known, because control flow made it, gets its place. */
function change(state: RunState, index: number, facts: (step: StepState) => Partial<StepState>): void {
  let place = state.steps.findIndex((step) => step.index >= index);
  if (place < 0) place = state.steps.length;
  const known = state.steps[place];
  if (known?.index === index) {
    state.steps[place] = { ...known, ...facts(known) };
    return;
  }
  const step: StepState = {
    index,
    path: String(index + 1),
    title: `Step ${index + 1}`,
    action: '',
    summary: '',
    status: 'pending',
    tier: null,
    startedAt: null,
    finishedAt: null,
    attempts: 0,
    failedAttempts: [],
    nextAttemptAt: null,
    value: null,
    error: null,
    note: '',
    healedElement: null,
    page: null,
    turns: [],
    controlActions: [],
  };
  state.steps.splice(place, 0, { ...step, ...facts(step) });
}

type AgentPlace = Pick<EventData<'agent.note'>, 'step' | 'turn' | 'branch' | 'branchPath'>;

function changeTurn(state: RunState, at: AgentPlace, facts: (turn: Turn) => Partial<Turn>): void {
  const { step, turn } = at;
  const branch = branchOf(at);
  change(state, step, ({ turns }) => {
    const empty: Turn = { branch, turn, thought: '', page: null, subGoals: null, moves: [], notes: [] };
    const known = turns.find((one) => one.turn === turn && one.branch === branch);
    const changed = { ...(known ?? empty), ...facts(known ?? empty) };
    return { turns: known ? turns.map((one) => (one === known ? changed : one)) : [...turns, changed] };
  });
}

/** What was at work stands still: its run waits, or is over, or its worker is gone. */
function interrupt(state: RunState): void {
  state.thinking = [];
  state.steps = state.steps.map((step) =>
    step.status === 'running' || step.status === 'retrying'
      ? { ...step, status: 'interrupted', nextAttemptAt: null }
      : step,
  );
}

function end(state: RunState, status: RunStatus, { at }: RunEvent): void {
  Object.assign(state, { status, finishedAt: at, question: null, cancelling: null, openDialogs: [] });
  if (state.control) state.control = { ...state.control, isActive: false };
  interrupt(state);
}

type Reducers = { [Type in EventType]?: (state: RunState, data: EventData<Type>, event: RunEvent) => void };

const reducers: Reducers = {
  'run.queued': (state) => void Object.assign(state, { status: 'queued' }),
  'run.assigned'(state, { worker }, { at, epoch }) {
    Object.assign(state, { status: 'running', worker, epoch, closedAt: null, startedAt: state.startedAt ?? at });
  },
  'run.requeued'(state) {
    Object.assign(state, { status: 'queued', worker: null, question: null, openDialogs: [] });
    interrupt(state);
  },
  'run.cancelling': (state, { by }) => void Object.assign(state, { cancelling: by, cancelledBy: by }),
  'run.awaiting_user'(state, question, { at }) {
    const open: OpenQuestion = { ...question, askedAt: at };
    Object.assign(state, { status: 'awaiting_user', question: open });
    interrupt(state);
  },
  'run.slot_released': (state, _data, { at }) => void Object.assign(state, { worker: null, closedAt: at }),
  'run.answered'(state, { step, choice, by, text, controlToken: control }) {
    Object.assign(state, { status: state.worker === null ? 'queued' : 'running', question: null });
    if (control === undefined) change(state, step, () => ({ note: `${by} answered: ${text ?? choice}` }));
    // It stood still for a person at the wheel, and goes on.
    else if (state.worker !== null)
      change(state, step, ({ status }) => ({ status: status === 'interrupted' ? 'running' : status }));
  },
  'run.completed'(state, { output }, event) {
    state.output = output;
    end(state, 'completed', event);
  },
  'run.failed'(state, { error }, event) {
    state.error = error;
    end(state, 'failed', event);
  },
  'run.cancelled'(state, { by }, event) {
    // A worker that confirms it does not know who asked for it.
    if (state.cancelledBy === null && by !== 'request') state.cancelledBy = by;
    end(state, 'cancelled', event);
  },
  'step.started'(state, { step, path, title, action, summary, attempt = 1 }, event) {
    change(state, step, (known) => ({
      path: path ?? known.path,
      title,
      action,
      summary,
      status: 'running',
      startedAt: event.at,
      finishedAt: null,
      error: null,
      attempts: Math.max(known.attempts, attempt),
      nextAttemptAt: null,
    }));
  },
  'step.completed'(state, { step, tier, value, located, page }, { at }) {
    state.thinking = state.thinking.filter((one) => one.step !== step);
    change(state, step, () => ({
      status: 'completed',
      tier,
      value: value ?? null,
      finishedAt: at,
      page,
      error: null,
      ...(located && {
        note:
          located.tried > 1
            ? `Found by ${located.locator}, the ${located.tried}. that was tried`
            : `Found by ${located.locator}`,
      }),
    }));
  },
  'step.healed': (state, { step, element }) => change(state, step, () => ({ healedElement: element })),
  'step.failed'(state, { step, error }, { at }) {
    state.thinking = state.thinking.filter((one) => one.step !== step);
    change(state, step, () => ({ status: 'failed', error, finishedAt: at }));
  },
  'step.retrying'(state, { step, attempt, maxAttempts, error, durationMs, nextAttemptAt }, { at }) {
    state.thinking = state.thinking.filter((one) => one.step !== step);
    const failed: FailedAttempt = { attempt, maxAttempts, code: error.code, message: error.message, durationMs };
    change(state, step, ({ attempts, failedAttempts }) => ({
      status: 'retrying',
      finishedAt: at,
      attempts: Math.max(attempts, attempt),
      failedAttempts: [...failedAttempts.filter((one) => one.attempt !== attempt), failed],
      nextAttemptAt,
    }));
  },
  'step.skipped': (state, { step, reason }, { at }) =>
    change(state, step, () => ({ status: 'skipped', note: reason, finishedAt: at })),
  'branch.step_started': (state, { step, branch, title }) =>
    change(state, step, () => ({ note: `In ${branch}: ${title}` })),
  'agent.turn'(state, { thought: said, page, subGoals = null, ...at }) {
    thought(state, at);
    changeTurn(state, at, () => ({ thought: said, page: page?.url ?? null, subGoals }));
  },
  'agent.action_started': (state, { sequence: n, title, ...at }) =>
    changeTurn(state, at, ({ moves }) => ({
      moves: [...moves.filter((move) => move.n !== n), { n, title, ms: null, error: null }],
    })),
  'agent.action_completed': (state, { sequence: n, durationMs: ms, error, ...at }) =>
    changeTurn(state, at, ({ moves }) => ({
      moves: moves.map((move) => (move.n === n ? { ...move, ms, error: error?.message ?? null } : move)),
    })),
  'agent.note'(state, { note, ...at }, { level }) {
    thought(state, at);
    changeTurn(state, at, ({ notes }) => ({ notes: [...notes, { note, good: level === 'info' }] }));
  },
  'control.taken': (state, { by, token }) =>
    void Object.assign(state, { control: { by, token, isActive: true }, dialog: null, openDialogs: [] }),
  'control.released'(state, { token }) {
    if (state.control?.token !== token) return;
    Object.assign(state, { control: { ...state.control, isActive: false }, dialog: null, openDialogs: [] });
  },
  'dialog.opened'(state, { dialog, kind, question, text, multiple = false }) {
    const open: OpenDialog = { dialog, kind, question, text, multiple };
    Object.assign(state, { dialog: null, openDialogs: [...state.openDialogs, open] });
  },
  'dialog.closed'(state, { dialog, why }, { message }) {
    state.openDialogs = state.openDialogs.filter((one) => one.dialog !== dialog);
    if (why === 'failed') state.dialog = message;
  },
  'run.log'(state, { facts }, { message }) {
    if ('dialog' in facts) state.dialog = `${message}. A dialog without an answer is dismissed after 30 seconds.`;
  },
  'control.action': (state, { step, by, title }) =>
    change(state, step, ({ controlActions }) => ({ controlActions: [...controlActions, `${by}: ${title}`] })),
  'artifact.created'(state, { artifact, step, kind, moment, name, contentType, size }, { at }) {
    if (state.files.some(({ id }) => id === artifact)) return;
    state.files.push({ id: artifact, step, kind, moment, name, contentType, size, at });
  },
  'model.called'(state, { step, role, tier = tierOf(role), provider, model, durationMs: ms, usd, ...used }, { at }) {
    const { inputTokens: input, outputTokens: output } = used;
    state.calls.push({ step, role, tier, model: `${provider}/${model}`, durationMs: ms, input, output, usd, at });
  },
};

/**
 * How a step looks, which its run has a say in: what was not reached when the run ended never will be, and what a person cancelled did not fail.
 */
export function displayStatusOf({ status, error }: StepState, run: RunStatus): StepState['status'] | 'cancelled' {
  if (status === 'pending' && isOver(run)) return 'skipped';
  if (status === 'failed' && error?.code === 'RUN_CANCELLED') return 'cancelled';
  return run === 'cancelled' && (status === 'interrupted' || status === 'running' || status === 'retrying')
    ? 'cancelled'
    : status;
}

/** Whether a run waits for a person without a slot: its browser was closed. */
export const isClosed = ({ status, worker }: Pick<RunState, 'status' | 'worker'>): boolean =>
  status === 'awaiting_user' && worker === null;

/** Images of a step: before it with its target marked, and after it. */
export function imagesOf({ files }: Pick<RunState, 'files'>, step: number): { before?: RunArtifact; after?: RunArtifact } {
  const images = files.filter((file) => file.step === step && file.kind === 'screenshot');
  return {
    before: images.findLast(({ moment }) => moment === 'before'),
    after: images.findLast(({ moment }) => moment !== 'before'),
  };
}

/** The tier of a call from before it was said. */
const tierOf = (role: string): Tier => (role === 'plan' ? 'replan' : role === 'vision' ? 'vision' : 'text');

/** What models took. */
export const usageOf = (calls: readonly ModelCall[]) => ({
  calls: calls.length,
  tokens: calls.reduce((sum, { input, output }) => sum + input + output, 0),
  usd: calls.reduce((sum, { usd }) => sum + (usd ?? 0), 0),
});

/**
 * Seconds into a video at which a step began. A video ends when it is kept, so it is counted from its end.
 * @param seconds length of the video
 */
export const momentOf = (video: RunArtifact, seconds: number, startedAt: string): number =>
  Math.min(seconds, Math.max(0, seconds - (Date.parse(video.at) - Date.parse(startedAt)) / 1000));
