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

export interface StoryStep {
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
  healed: string | null;
  page: { url: string; title: string } | null;
  turns: Turn[];
  /** What people at the wheel did before it went on, in a line each. */
  byHand: string[];
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

export interface StoryFile {
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
export type StoryDialog = Pick<EventData<'dialog.opened'>, 'dialog' | 'kind' | 'question' | 'text'> & {
  /** True if the file chooser takes more than one file. */
  multiple: boolean;
};

/** A run as its page tells it. Plain data: the server begins it, and the page goes on with it, event by event. */
export interface Story {
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
  wheel: { by: string; token: number; isHeld: boolean } | null;
  /** The last dialog that was not answered, or files that the page did not get, while a person has control; null: none. */
  dialog: string | null;
  /** Dialogs of pages that wait for the person in control, the oldest first. */
  openDialogs: StoryDialog[];
  steps: StoryStep[];
  calls: ModelCall[];
  files: StoryFile[];
  /** What agents are thinking, while their models speak: in branches several at once. */
  thinking: AgentThinking[];
}

const isOver = (status: RunStatus) => status === 'completed' || status === 'failed' || status === 'cancelled';

/** The story as the run and its steps are now, before any event. */
export const beginStory = (run: RunView, steps: readonly RunStepView[]): Story => ({
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
  wheel: null,
  steps: steps.map((step) => ({
    ...step,
    summary: '',
    note: '',
    healed: null,
    page: null,
    turns: [],
    byHand: [],
    failedAttempts: [],
    nextAttemptAt: null,
  })),
  calls: [],
  files: [],
  thinking: [],
});

/** The story after further events. Those it knows change nothing. */
export function tell(story: Story, events: readonly RunEvent[]): Story {
  const next: Story = { ...story, steps: [...story.steps], calls: [...story.calls], files: [...story.files] };
  for (const event of events) {
    if (event.seq <= next.seq) continue;
    next.seq = event.seq;
    const told = tellers[event.type] as ((story: Story, data: unknown, event: RunEvent) => void) | undefined;
    told?.(next, event.data, event);
  }
  return next;
}

/** The story while a model speaks. What is told too late, when the thought is there or the run goes on no more, changes nothing. */
export function think(story: Story, thinking: AgentThinking): Story {
  const step = story.steps.find(({ index }) => index === thinking.step);
  const branch = branchOf(thinking);
  // A plan, and a verdict, are of a turn that is known.
  const isKnown =
    thinking.subject === undefined &&
    step?.turns.some((one) => one.branch === branch && one.turn >= thinking.turn && one.page !== null);
  if (step?.status !== 'running' || isKnown) return story;
  return { ...story, thinking: [...story.thinking.filter((one) => !isSamePlace(one, thinking)), thinking] };
}

type Place = Pick<AgentThinking, 'step' | 'branch' | 'branchPath'>;

/** Where a goal stands in the branches of its step; null: it is the step. */
const branchOf = ({ branch, branchPath }: Place): string | null =>
  branch === undefined ? null : `${branch}${branchPath === undefined ? '' : `/${branchPath}`}`;

const isSamePlace = (one: Place, other: Place) => one.step === other.step && branchOf(one) === branchOf(other);

/** Who was thinking there has said it. */
function thought(story: Story, place: Place): void {
  story.thinking = story.thinking.filter((one) => !isSamePlace(one, place));
}

/** Changes a step; one that was not known, because control flow made it, gets its place. */
function change(story: Story, index: number, facts: (step: StoryStep) => Partial<StoryStep>): void {
  let place = story.steps.findIndex((step) => step.index >= index);
  if (place < 0) place = story.steps.length;
  const known = story.steps[place];
  if (known?.index === index) {
    story.steps[place] = { ...known, ...facts(known) };
    return;
  }
  const step: StoryStep = {
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
    healed: null,
    page: null,
    turns: [],
    byHand: [],
  };
  story.steps.splice(place, 0, { ...step, ...facts(step) });
}

type AgentPlace = Pick<EventData<'agent.note'>, 'step' | 'turn' | 'branch' | 'branchPath'>;

function changeTurn(story: Story, at: AgentPlace, facts: (turn: Turn) => Partial<Turn>): void {
  const { step, turn } = at;
  const branch = branchOf(at);
  change(story, step, ({ turns }) => {
    const empty: Turn = { branch, turn, thought: '', page: null, subGoals: null, moves: [], notes: [] };
    const known = turns.find((one) => one.turn === turn && one.branch === branch);
    const changed = { ...(known ?? empty), ...facts(known ?? empty) };
    return { turns: known ? turns.map((one) => (one === known ? changed : one)) : [...turns, changed] };
  });
}

/** What was at work stands still: its run waits, or is over, or its worker is gone. */
function interrupt(story: Story): void {
  story.thinking = [];
  story.steps = story.steps.map((step) =>
    step.status === 'running' || step.status === 'retrying'
      ? { ...step, status: 'interrupted', nextAttemptAt: null }
      : step,
  );
}

function end(story: Story, status: RunStatus, { at }: RunEvent): void {
  Object.assign(story, { status, finishedAt: at, question: null, cancelling: null, openDialogs: [] });
  if (story.wheel) story.wheel = { ...story.wheel, isHeld: false };
  interrupt(story);
}

type Tellers = { [Type in EventType]?: (story: Story, data: EventData<Type>, event: RunEvent) => void };

const tellers: Tellers = {
  'run.queued': (story) => void Object.assign(story, { status: 'queued' }),
  'run.assigned'(story, { worker }, { at, epoch }) {
    Object.assign(story, { status: 'running', worker, epoch, closedAt: null, startedAt: story.startedAt ?? at });
  },
  'run.requeued'(story) {
    Object.assign(story, { status: 'queued', worker: null, question: null, openDialogs: [] });
    interrupt(story);
  },
  'run.cancelling': (story, { by }) => void Object.assign(story, { cancelling: by, cancelledBy: by }),
  'run.awaiting_user'(story, question, { at }) {
    const open: OpenQuestion = { ...question, askedAt: at };
    Object.assign(story, { status: 'awaiting_user', question: open });
    interrupt(story);
  },
  'run.slot_released': (story, _data, { at }) => void Object.assign(story, { worker: null, closedAt: at }),
  'run.answered'(story, { step, choice, by, text, controlToken: wheel }) {
    Object.assign(story, { status: story.worker === null ? 'queued' : 'running', question: null });
    if (wheel === undefined) change(story, step, () => ({ note: `${by} answered: ${text ?? choice}` }));
    // It stood still for a person at the wheel, and goes on.
    else if (story.worker !== null)
      change(story, step, ({ status }) => ({ status: status === 'interrupted' ? 'running' : status }));
  },
  'run.completed'(story, { output }, event) {
    story.output = output;
    end(story, 'completed', event);
  },
  'run.failed'(story, { error }, event) {
    story.error = error;
    end(story, 'failed', event);
  },
  'run.cancelled'(story, { by }, event) {
    // A worker that confirms it does not know who asked for it.
    if (story.cancelledBy === null && by !== 'request') story.cancelledBy = by;
    end(story, 'cancelled', event);
  },
  'step.started'(story, { step, path, title, action, summary, attempt = 1 }, event) {
    change(story, step, (known) => ({
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
  'step.completed'(story, { step, tier, value, located, page }, { at }) {
    story.thinking = story.thinking.filter((one) => one.step !== step);
    change(story, step, () => ({
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
  'step.healed': (story, { step, element }) => change(story, step, () => ({ healed: element })),
  'step.failed'(story, { step, error }, { at }) {
    story.thinking = story.thinking.filter((one) => one.step !== step);
    change(story, step, () => ({ status: 'failed', error, finishedAt: at }));
  },
  'step.retrying'(story, { step, attempt, maxAttempts, error, durationMs, nextAttemptAt }, { at }) {
    story.thinking = story.thinking.filter((one) => one.step !== step);
    const failed: FailedAttempt = { attempt, maxAttempts, code: error.code, message: error.message, durationMs };
    change(story, step, ({ attempts, failedAttempts }) => ({
      status: 'retrying',
      finishedAt: at,
      attempts: Math.max(attempts, attempt),
      failedAttempts: [...failedAttempts.filter((one) => one.attempt !== attempt), failed],
      nextAttemptAt,
    }));
  },
  'step.skipped': (story, { step, reason }, { at }) =>
    change(story, step, () => ({ status: 'skipped', note: reason, finishedAt: at })),
  'branch.step_started': (story, { step, branch, title }) =>
    change(story, step, () => ({ note: `In ${branch}: ${title}` })),
  'agent.turn'(story, { thought: said, page, subGoals = null, ...at }) {
    thought(story, at);
    changeTurn(story, at, () => ({ thought: said, page: page?.url ?? null, subGoals }));
  },
  'agent.action_started': (story, { sequence: n, title, ...at }) =>
    changeTurn(story, at, ({ moves }) => ({
      moves: [...moves.filter((move) => move.n !== n), { n, title, ms: null, error: null }],
    })),
  'agent.action_completed': (story, { sequence: n, durationMs: ms, error, ...at }) =>
    changeTurn(story, at, ({ moves }) => ({
      moves: moves.map((move) => (move.n === n ? { ...move, ms, error: error?.message ?? null } : move)),
    })),
  'agent.note'(story, { note, ...at }, { level }) {
    thought(story, at);
    changeTurn(story, at, ({ notes }) => ({ notes: [...notes, { note, good: level === 'info' }] }));
  },
  'control.taken': (story, { by, token }) =>
    void Object.assign(story, { wheel: { by, token, isHeld: true }, dialog: null, openDialogs: [] }),
  'control.released'(story, { token }) {
    if (story.wheel?.token !== token) return;
    Object.assign(story, { wheel: { ...story.wheel, isHeld: false }, dialog: null, openDialogs: [] });
  },
  'dialog.opened'(story, { dialog, kind, question, text, multiple = false }) {
    const open: StoryDialog = { dialog, kind, question, text, multiple };
    Object.assign(story, { dialog: null, openDialogs: [...story.openDialogs, open] });
  },
  'dialog.closed'(story, { dialog, why }, { message }) {
    story.openDialogs = story.openDialogs.filter((one) => one.dialog !== dialog);
    if (why === 'failed') story.dialog = message;
  },
  'run.log'(story, { facts }, { message }) {
    if ('dialog' in facts) story.dialog = `${message}. A dialog without an answer is dismissed after 30 seconds.`;
  },
  'control.action': (story, { step, by, title }) =>
    change(story, step, ({ byHand }) => ({ byHand: [...byHand, `${by}: ${title}`] })),
  'artifact.created'(story, { artifact, step, kind, moment, name, contentType, size }, { at }) {
    if (story.files.some(({ id }) => id === artifact)) return;
    story.files.push({ id: artifact, step, kind, moment, name, contentType, size, at });
  },
  'model.called'(story, { step, role, tier = tierOf(role), provider, model, durationMs: ms, usd, ...used }, { at }) {
    const { inputTokens: input, outputTokens: output } = used;
    story.calls.push({ step, role, tier, model: `${provider}/${model}`, durationMs: ms, input, output, usd, at });
  },
};

/**
 * How a step looks, which its run has a say in: what was not reached when the run ended never will be, and what a person cancelled did not fail.
 */
export function lookOf({ status, error }: StoryStep, run: RunStatus): StoryStep['status'] | 'cancelled' {
  if (status === 'pending' && isOver(run)) return 'skipped';
  if (status === 'failed' && error?.code === 'RUN_CANCELLED') return 'cancelled';
  return run === 'cancelled' && (status === 'interrupted' || status === 'running' || status === 'retrying')
    ? 'cancelled'
    : status;
}

/** Whether a run waits for a person without a slot: its browser was closed. */
export const isClosed = ({ status, worker }: Pick<Story, 'status' | 'worker'>): boolean =>
  status === 'awaiting_user' && worker === null;

/** Images of a step: before it with its target marked, and after it. */
export function imagesOf({ files }: Pick<Story, 'files'>, step: number): { before?: StoryFile; after?: StoryFile } {
  const images = files.filter((file) => file.step === step && file.kind === 'screenshot');
  return {
    before: images.findLast(({ moment }) => moment === 'before'),
    after: images.findLast(({ moment }) => moment !== 'before'),
  };
}

/** The tier of a call from before it was said. */
const tierOf = (role: string): Tier => (role === 'plan' ? 'replan' : role === 'vision' ? 'vision' : 'text');

/** What models took. */
export const takenBy = (calls: readonly ModelCall[]) => ({
  calls: calls.length,
  tokens: calls.reduce((sum, { input, output }) => sum + input + output, 0),
  usd: calls.reduce((sum, { usd }) => sum + (usd ?? 0), 0),
});

/**
 * Seconds into a video at which a step began. A video ends when it is kept, so it is counted from its end.
 * @param seconds length of the video
 */
export const momentOf = (video: StoryFile, seconds: number, startedAt: string): number =>
  Math.min(seconds, Math.max(0, seconds - (Date.parse(video.at) - Date.parse(startedAt)) / 1000));
