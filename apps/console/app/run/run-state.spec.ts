import type { EventType, RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { RunStepView, RunView } from '@pilothouse/contract/run/run.schema';
import { createRunState, type RunState } from './run-state.ts';
import { imagesOf, isClosed, displayStatusOf, videoSecondsOf, usageOf } from './run-state-selectors.ts';
import { applyEvents, applyThinking } from './run-event-reducers.ts';

const timeAt = (second: number) => new Date(1e12 + second * 1000).toISOString();
const error = { code: 'TARGET_NOT_FOUND', message: 'Nothing is there', retry: 'no' } as const;

const newRun = (titles: string[]): RunState =>
  createRunState(
    {
      id: 'r',
      inputs: { password: '••••', cv: '0197f3c2-1a2b-7c3d-8e4f-0123456789ab' },
      status: 'queued',
      worker: null,
      epoch: 0,
      startedAt: null,
      finishedAt: null,
      output: null,
      error: null,
      question: null,
    } as unknown as RunView,
    titles.map(
      (title, index) =>
        ({
          index,
          path: String(index + 1),
          title,
          action: 'click',
          status: 'pending',
          attempts: 0,
          tier: null,
          startedAt: null,
          finishedAt: null,
          value: null,
          error: null,
        }) as unknown as RunStepView,
    ),
  );

/** Events, one a second. */
const events = (...facts: [type: EventType, data: Record<string, unknown>][]) =>
  facts.map(
    ([type, data], index) =>
      ({
        seq: index + 1,
        run: 'r',
        epoch: 1,
        v: 1,
        type,
        level: 'info',
        message: '',
        at: timeAt(index),
        data,
      }) as unknown as RunEvent,
  );

const statusesOf = ({ steps, status }: RunState) => steps.map((step) => displayStatusOf(step, status));

test('titles show dots and the name of a secret, and no id of a file', () => {
  const state = newRun(['Type “{{inputs.password}}” into “Password”', 'Attach {{inputs.cv}} to “CV”']);
  expect(state.steps.map(({ title }) => title)).toEqual([
    'Type “•••• (password)” into “Password”',
    'Attach cv to “CV”',
  ]);
  const title = 'Type “{{inputs.password}}x” into “Password”';
  const started = { step: 0, title, action: 'fill', summary: title };
  const turn = { step: 0, turn: 1, sequence: 1, title };
  const { steps } = applyEvents(state, events(['step.started', started], ['agent.action_started', turn]));
  const shown = 'Type “•••• (password)x” into “Password”';
  expect(steps[0]).toMatchObject({ title: shown, summary: shown, turns: [{ actions: [{ title: shown }] }] });
});

test('the number of a step is its label, else its path', () => {
  const { steps } = newRun(['Open', 'Read']);
  const views = steps.map((step) => ({ ...step, path: 'orders[2]/1' })) as unknown as RunStepView[];
  const [labelled, plain] = views;
  const state = createRunState({ inputs: {} } as RunView, [{ ...labelled, label: '3[2]/1' } as RunStepView, plain!]);
  expect(state.steps.map(({ number }) => number)).toEqual(['3[2]/1', 'orders[2]/1']);
});

test('a retried step lists its failed attempts', () => {
  const ref = { step: 0, path: 'order', id: 'order' };
  const acting = { ...ref, action: 'click', title: 'Order', summary: '' };
  const retrying = { ...ref, maxAttempts: 3, errorCode: error.code, error, durationMs: 40, nextAttemptAt: timeAt(9) };
  const retryEvents = events(
    ['run.assigned', { worker: 'w1', fleet: 'f' }],
    ['step.started', acting],
    ['step.retrying', { ...retrying, attempt: 1 }],
    ['step.started', { ...acting, attempt: 2 }],
    ['step.retrying', { ...retrying, attempt: 2 }],
  );
  const waiting = applyEvents(newRun(['a']), retryEvents);
  const failed = { maxAttempts: 3, code: error.code, message: error.message, durationMs: 40 };
  expect(waiting.steps[0]).toMatchObject({
    path: 'order',
    status: 'retrying',
    attempts: 2,
    nextAttemptAt: timeAt(9),
    failedAttempts: [
      { ...failed, attempt: 1 },
      { ...failed, attempt: 2 },
    ],
  });
  expect(statusesOf(waiting)).toEqual(['retrying']);
  const [, , , , , ...rest] = events(
    ...retryEvents.map(({ type, data }): [EventType, Record<string, unknown>] => [type, data]),
    ['step.started', { ...acting, attempt: 3 }],
    ['step.completed', { ...ref, tier: 'replay', durationMs: 1, located: null, page: null }],
    ['run.completed', { output: null, durationMs: 1 }],
  );
  const completed = applyEvents(waiting, rest);
  expect(completed.steps[0]).toMatchObject({ status: 'completed', attempts: 3, nextAttemptAt: null, error: null });
  // A worker that is lost during the backoff leaves an interrupted step.
  const [, , , , , lost] = events(
    ...retryEvents.map(({ type, data }): [EventType, Record<string, unknown>] => [type, data]),
    ['run.requeued', { error, worker: null }],
  );
  expect(statusesOf(applyEvents(waiting, lost ? [lost] : []))).toEqual(['interrupted']);
});

test('a successful run, event by event or all at once', () => {
  const runEvents = events(
    ['run.assigned', { worker: 'w1', fleet: 'f' }],
    ['step.started', { step: 0, id: null, action: 'click', title: 'Press', summary: 'Press it' }],
    [
      'step.completed',
      { step: 0, id: null, tier: 'text', ms: 900, located: { locator: 'css=a', triedCount: 2 }, value: 3, page: null },
    ],
    ['step.skipped', { step: 1, id: null, reason: 'when is false' }],
    ['run.completed', { output: { a: 1 }, ms: 1 }],
  );
  const once = applyEvents(newRun(['a', 'b']), runEvents);
  expect(runEvents.reduce((state, event) => applyEvents(state, [event]), newRun(['a', 'b']))).toEqual(once);
  expect(once).toMatchObject({ status: 'completed', worker: 'w1', seq: 5, output: { a: 1 }, finishedAt: timeAt(4) });
  expect(once.steps[0]).toMatchObject({
    title: 'Press',
    tier: 'text',
    value: 3,
    startedAt: timeAt(1),
    finishedAt: timeAt(2),
  });
  expect(statusesOf(once)).toEqual(['completed', 'skipped']);
  // A repeated event changes nothing, and earlier states are not mutated.
  const initial = newRun(['a', 'b']);
  expect(applyEvents(once, runEvents)).toEqual(once);
  expect(initial).toEqual(newRun(['a', 'b']));
});

test.each([
  ['confirmed', undefined],
  ['none', 'Nothing moved'],
  ['unverifiable', 'No text field has the focus'],
  ['unverifiable', undefined],
])('a step and an action with the effect %s and the reason %s keep both', (effect, effectReason) => {
  const result = { outcome: 'completed', effect, ...(effectReason !== undefined && { effectReason }) };
  const ref = { step: 0, id: null };
  const started = { ...ref, action: 'fill', title: 'a', summary: '' };
  const acting = {
    ...ref,
    turn: 1,
    sequence: 1,
    action: { action: 'press', key: 'Enter' },
    title: 'Press',
    approval: null,
  };
  const acted = { ...ref, turn: 1, sequence: 1, durationMs: 1, error: null, page: null, ...result };
  const completed = { ...ref, tier: 'replay', durationMs: 1, located: null, page: null, ...result };
  const run = applyEvents(
    newRun(['a']),
    events(
      ['step.started', started],
      ['agent.action_started', acting],
      ['agent.action_completed', acted],
      ['step.completed', completed],
    ),
  );
  const expected = { outcome: 'completed', effect, effectReason: effectReason ?? null };
  expect(run.steps[0]?.result).toEqual(expected);
  expect(run.steps[0]?.turns[0]?.actions[0]?.result).toEqual(expected);
});

test('an active step is interrupted when the worker is lost or a person is asked, and resumes', () => {
  const stepStarted = ['step.started', { step: 0, id: null, action: 'click', title: 'a', summary: '' }] as [
    EventType,
    Record<string, unknown>,
  ];
  const lost = applyEvents(newRun(['a', 'b']), events(stepStarted, ['run.requeued', { error, worker: 'w1' }]));
  expect(statusesOf(lost)).toEqual(['interrupted', 'pending']);
  const question = {
    step: 0,
    id: null,
    key: '1.0.0',
    reason: 'Did it happen?',
    choices: [{ choice: 'retry', title: 'Again' }],
    expiresAt: timeAt(60),
  };
  const allEvents = events(
    stepStarted,
    ['run.awaiting_user', question],
    ['run.answered', { step: 0, choice: 'retry', answeredBy: 'ada' }],
    stepStarted,
  );
  const waiting = applyEvents(newRun(['a', 'b']), allEvents.slice(0, 2));
  expect(waiting).toMatchObject({
    status: 'awaiting_user',
    question: { key: '1.0.0', reason: 'Did it happen?', askedAt: timeAt(1) },
  });
  expect(statusesOf(waiting)).toEqual(['interrupted', 'pending']);
  // An older API sends no key, and rejects an answer with one.
  const { key, ...unnamed } = question;
  const withoutKey = applyEvents(newRun(['a', 'b']), events(stepStarted, ['run.awaiting_user', unnamed]));
  expect(withoutKey.question).toEqual({ ...unnamed, askedAt: timeAt(1) });
  const resumed = applyEvents(waiting, allEvents);
  expect(resumed.question).toBeNull();
  expect(statusesOf(resumed)).toEqual(['running', 'pending']);
});

test('steps of control flow are inserted by index, and unreached steps are skipped', () => {
  const state = applyEvents(
    newRun(['a', 'b']),
    events(
      ['step.started', { step: 5, id: null, path: '2[3]/1', action: 'click', title: 'in a round', summary: '' }],
      ['step.failed', { step: 5, id: null, error, durationMs: 2 }],
      ['run.failed', { error, step: 5 }],
    ),
  );
  expect(state.steps.map(({ index, path }) => [index, path])).toEqual([
    [0, '1'],
    [1, '2'],
    [5, '2[3]/1'],
  ]);
  expect(statusesOf(state)).toEqual(['skipped', 'skipped', 'failed']);
  expect(state.error).toEqual(error);
});

test('a step with branches shows their current steps', () => {
  const branch = { step: 0, id: null, branch: 'left', n: 1 };
  const state = applyEvents(
    newRun(['a']),
    events(
      ['branch.step_started', { ...branch, action: 'click', title: 'Open' }],
      ['branch.step_completed', { ...branch, ms: 2, error: null, page: null }],
    ),
  );
  expect(state.steps[0]?.note).toBe('Branch left: Open');
});

test('agent turns and model calls are collected', () => {
  const result = { outcome: 'completed', effect: 'confirmed' };
  const turn = { step: 0, id: null, turn: 1 };
  const call = { step: 0, role: 'act', provider: 'p', model: 'm', durationMs: 5, inputTokens: 10, outputTokens: 2 };
  const state = applyEvents(
    newRun(['a']),
    events(
      [
        'agent.turn',
        { ...turn, thought: 'Press it', subGoals: 'next: press', actions: [], page: { url: 'u', title: 't' } },
      ],
      ['agent.action_started', { ...turn, sequence: 1, title: 'Click a' }],
      ['agent.action_completed', { ...turn, ...result, sequence: 1, durationMs: 7, error: null }],
      ['agent.note', { ...turn, kind: 'verified', note: 'It is so' }],
      [
        'agent.answer_sources',
        { ...turn, sources: [{ pointer: '/a', locators: [] }], computed: ['/b'], missing: ['/c'] },
      ],
      ['model.called', { ...call, usd: 0.5 }],
      ['model.called', { ...call, tier: 'vision', usd: null }],
    ),
  );
  expect(state.steps[0]?.turns).toEqual([
    {
      branch: null,
      turn: 1,
      thought: 'Press it',
      page: 'u',
      subGoals: 'next: press',
      actions: [{ n: 1, title: 'Click a', ms: 7, error: null, result: { ...result, effectReason: null } }],
      notes: [
        { note: 'It is so', isPositive: true },
        { note: '', isPositive: false },
      ],
      endedAt: timeAt(4),
    },
  ]);
  expect(state.steps[0]?.answerSources).toEqual([
    { pointer: '/c', origin: 'missing' },
    { pointer: '/a', origin: 'page' },
    { pointer: '/b', origin: 'computed' },
  ]);
  expect(usageOf(state.calls)).toEqual({ calls: 2, tokens: 24, usd: 0.5 });
  expect(state.calls.map(({ tier }) => tier)).toEqual(['text', 'vision']);
});

test('agents of branches have separate turns', () => {
  const thought = (ref: object, text: string): Parameters<typeof events>[number] => [
    'agent.turn',
    { step: 0, id: null, turn: 1, thought: text, actions: [], page: null, ...ref },
  ];
  const state = applyEvents(
    newRun(['a']),
    events(thought({ branch: 'left' }, 'Left'), thought({ branch: 'right', branchPath: '2[1]/1' }, 'Right')),
  );
  expect(state.steps[0]?.turns).toMatchObject([
    { branch: 'left', turn: 1, thought: 'Left' },
    { branch: 'right/2[1]/1', turn: 1, thought: 'Right' },
  ]);
});

test('finds the screenshots of a step, and its position in a video', () => {
  const file = (name: string, moment: 'before' | 'after') => ({
    artifact: name,
    step: 0,
    kind: 'screenshot',
    moment,
    name,
    contentType: 'image/jpeg',
    size: 1,
  });
  const state = applyEvents(
    newRun(['a']),
    events(['artifact.created', file('a.jpg', 'before')], ['artifact.created', file('a-before.jpg', 'after')]),
  );
  expect(imagesOf(state, 0)).toMatchObject({ imageBefore: { id: 'a.jpg' }, imageAfter: { id: 'a-before.jpg' } });
  expect(imagesOf(state, 1)).toEqual({ imageBefore: undefined, imageAfter: undefined });
  const video = { ...state.artifacts[0]!, createdAt: timeAt(100) };
  expect([
    videoSecondsOf(video, 30, timeAt(80)),
    videoSecondsOf(video, 30, timeAt(10)),
    videoSecondsOf(video, 30, timeAt(101)),
  ]).toEqual([10, 0, 30]);
});

test('a partial thought is shown until its turn is complete; a late one is ignored', () => {
  const runEvents = events(
    ['step.started', { step: 0, id: null, action: 'goal', title: 'Find it', summary: '' }],
    ['agent.turn', { step: 0, turn: 1, thought: 'I see it', page: { url: 'u', title: 't' } }],
    ['run.requeued', { error, worker: null }],
  );
  const partial = { step: 0, turn: 1, text: 'I s' };
  expect(applyThinking(newRun(['Find it']), partial).thinking).toEqual([]);
  const startedState = applyEvents(newRun(['Find it']), runEvents.slice(0, 1));
  expect(applyThinking(startedState, partial).thinking).toEqual([partial]);
  const complete = applyEvents(applyThinking(startedState, partial), runEvents.slice(0, 2));
  expect([complete.thinking, complete.steps[0]?.turns[0]?.thought]).toEqual([[], 'I see it']);
  expect(applyThinking(complete, partial)).toBe(complete);
  const next = applyThinking(complete, { ...partial, turn: 2 });
  expect(next.thinking).toMatchObject([{ turn: 2 }]);
  expect(applyEvents(next, runEvents).thinking).toEqual([]);
  // A verdict is of a turn that is known.
  const withVerdict = applyThinking(complete, { ...partial, subject: 'verdict' });
  expect(withVerdict.thinking).toMatchObject([{ subject: 'verdict' }]);
});

test('each branch has its own partial thought', () => {
  const turnOf = (branch: string) => ({ step: 0, turn: 1, branch });
  const runEvents = events(
    ['step.started', { step: 0, id: null, action: 'parallel', title: 'Both', summary: '' }],
    ['agent.turn', { ...turnOf('one'), thought: 'I see it', page: { url: 'u', title: 't' } }],
    ['agent.note', { ...turnOf('two'), kind: 'verified', note: 'So it is' }],
  );
  const startedState = applyEvents(newRun(['Both']), runEvents.slice(0, 1));
  const first = applyThinking(startedState, { ...turnOf('one'), text: 'I' });
  const withTwoThoughts = applyThinking(applyThinking(first, { ...turnOf('two'), text: 'W' }), {
    ...turnOf('one'),
    text: 'I s',
  });
  expect(withTwoThoughts.thinking).toEqual([
    { ...turnOf('two'), text: 'W' },
    { ...turnOf('one'), text: 'I s' },
  ]);
  const withOneThought = applyEvents(withTwoThoughts, runEvents.slice(0, 2));
  expect(withOneThought.thinking).toMatchObject([{ branch: 'two' }]);
  expect(applyThinking(withOneThought, { ...turnOf('one'), text: 'I see' })).toBe(withOneThought);
  expect(applyEvents(withOneThought, runEvents).thinking).toEqual([]);
});

test('a step that was interrupted by a person in control resumes with its run', () => {
  const runEvents = events(
    ['run.assigned', { worker: 'w1', fleet: 'f' }],
    ['step.started', { step: 0, id: null, action: 'click', title: 'Press', summary: '' }],
    [
      'run.awaiting_user',
      { reason: 'Ada drives', step: 0, controlToken: 1, choices: [], key: 'k', expiresAt: timeAt(60) },
    ],
    ['run.answered', { step: 0, choice: 'retry', answeredBy: 'Ada', controlToken: 1 }],
  );
  expect(statusesOf(applyEvents(newRun(['a']), runEvents.slice(0, 3)))).toEqual(['interrupted']);
  expect(statusesOf(applyEvents(newRun(['a']), runEvents))).toEqual(['running']);
  // Without a worker the run is queued again, and no step is active.
  const queued = applyEvents({ ...newRun(['a']), worker: null }, runEvents.slice(1));
  expect([queued.status, statusesOf(queued)]).toEqual(['queued', ['interrupted']]);
});

test('a cancelled step did not fail', () => {
  const cancelled = { code: 'RUN_CANCELLED', message: 'The run was cancelled', retry: 'no' } as const;
  const startData = { step: 0, id: null, action: 'click', title: 'Press', summary: '' };
  const failed = applyEvents(
    newRun(['a', 'b']),
    events(
      ['run.assigned', { worker: 'w1', fleet: 'f' }],
      ['step.started', startData],
      ['run.cancelling', { requestedBy: 'Ada' }],
      ['step.failed', { step: 0, error: cancelled, ms: 1 }],
      ['run.cancelled', { requestedBy: 'request' }],
    ),
  );
  expect([statusesOf(failed), failed.cancelledBy]).toEqual([['cancelled', 'skipped'], 'Ada']);
  const stopped = applyEvents(
    newRun(['a']),
    events(['step.started', startData], ['run.cancelled', { requestedBy: 'Bo' }]),
  );
  expect([statusesOf(stopped), stopped.cancelledBy]).toEqual([['cancelled'], 'Bo']);
  const lost = applyEvents(newRun(['a']), events(['step.started', startData], ['run.failed', { error, step: 0 }]));
  expect(statusesOf(lost)).toEqual(['interrupted']);
});

test('a dialog of the page is shown to the person in control, until control is released', () => {
  const message = 'A dialog of the page was dismissed: Delete 3 rows?';
  const [controlTaken, dismissed, controlReleased] = events(
    ['control.taken', { operator: 'Ada', token: 1 }],
    ['run.log', { facts: { dialog: 'confirm', accepted: false } }],
    ['control.released', { operator: 'Ada', token: 1, reason: 'released' }],
  ) as [RunEvent, RunEvent, RunEvent];
  const state = applyEvents(newRun(['Press']), [controlTaken, { ...dismissed, message }]);
  expect(state.dialog).toBe(`${message}. A dialog without an answer is dismissed after 30 seconds.`);
  expect(applyEvents(state, [controlReleased]).dialog).toBeNull();
});

test('a waiting run whose slot was released has no browser until a worker takes it', () => {
  const question = { step: 0, id: null, reason: 'Which?', choices: [], expiresAt: timeAt(60) };
  const runEvents = events(
    ['run.assigned', { worker: 'w1', fleet: 'f' }],
    ['run.awaiting_user', question],
    ['run.slot_released', { worker: 'w1' }],
    ['run.requeued', { error, worker: null }],
    ['run.assigned', { worker: 'w2', fleet: 'f' }],
    ['run.awaiting_user', question],
  );
  const closed = runEvents.map((_, index) => isClosed(applyEvents(newRun(['a']), runEvents.slice(0, index + 1))));
  expect(closed).toEqual([false, false, true, false, false, false]);
  expect(applyEvents(newRun(['a']), runEvents.slice(0, 3)).closedAt).toBe(timeAt(2));
});

test('a dialog of the page is open until it is closed, or control ends', () => {
  const [, first, second] = ['', 'one', 'two'].map((dialog) => ({ step: 0, id: null, dialog }));
  const open = { kind: 'prompt', question: 'Which port?', text: 'Bergen', operator: 'Ada', timeoutMs: 30_000 };
  const [controlTaken, dialogOpened, nextDialogOpened, dialogClosed, controlReleased] = events(
    ['control.taken', { operator: 'Ada', token: 1 }],
    ['dialog.opened', { ...first, ...open }],
    ['dialog.opened', { ...second, ...open }],
    ['dialog.closed', { ...first, accepted: true, reason: 'answered' }],
    ['control.released', { operator: 'Ada', token: 1, reason: 'released' }],
  ) as RunEvent[] as [RunEvent, RunEvent, RunEvent, RunEvent, RunEvent];
  const state = applyEvents(newRun(['Press']), [controlTaken, dialogOpened, nextDialogOpened]);
  expect(state.openDialogs.map(({ dialog }) => dialog)).toEqual(['one', 'two']);
  const oneOpen = applyEvents(state, [dialogClosed]);
  const prompt = { kind: 'prompt', question: 'Which port?', text: 'Bergen', multiple: false };
  expect(oneOpen.openDialogs).toEqual([{ dialog: 'two', ...prompt }]);
  expect(applyEvents(oneOpen, [controlReleased]).openDialogs).toEqual([]);
});

test('a file chooser is open until the page has the files; the reason for missing files is shown', () => {
  const ref = { step: 0, id: null, dialog: 'one' };
  const chooser = { kind: 'files', question: '', text: null, multiple: true };
  const [controlTaken, dialogOpened, chooserFailed, nextDialogOpened] = events(
    ['control.taken', { operator: 'Ada', token: 1 }],
    ['dialog.opened', { ...ref, ...chooser, operator: 'Ada', timeoutMs: 600_000 }],
    ['dialog.closed', { ...ref, accepted: false, reason: 'failed' }],
    ['dialog.opened', { ...ref, ...chooser, dialog: 'two', operator: 'Ada', timeoutMs: 600_000 }],
  ) as RunEvent[] as [RunEvent, RunEvent, RunEvent, RunEvent];
  const state = applyEvents(newRun(['Press']), [controlTaken, dialogOpened]);
  expect(state.openDialogs).toEqual([{ dialog: 'one', ...chooser }]);
  const message = 'The page got no file: it is too large';
  const closed = applyEvents(state, [{ ...chooserFailed, message }]);
  expect([closed.openDialogs, closed.dialog]).toEqual([[], message]);
  // The next dialog removes the notice.
  expect(applyEvents(closed, [nextDialogOpened]).dialog).toBeNull();
});

test('waits for a person and for a worker are recorded until the run continues or ends', () => {
  const assigned = ['run.assigned', { worker: 'w1' }] as const;
  const question = { reason: 'Which one?', step: 0, choices: [], key: 'k', expiresAt: timeAt(60) };
  const waiting = applyEvents(
    newRun(['a']),
    events(
      ['run.queued', {}],
      [...assigned],
      ['run.awaiting_user', question],
      ['run.slot_released', {}],
      ['run.answered', { step: 0, choice: 'yes', answeredBy: 'ann' }],
      [...assigned],
      ['run.requeued', { error, worker: 'w1' }],
    ),
  );
  expect(waiting.waits).toEqual([
    { kind: 'awaiting_user', startedAt: timeAt(2), endedAt: timeAt(4) },
    { kind: 'queued', startedAt: timeAt(4), endedAt: timeAt(5) },
    { kind: 'queued', startedAt: timeAt(6), endedAt: null },
  ]);
  const [ended] = events(['run.cancelled', { requestedBy: 'ann' }]);
  const closed = applyEvents(waiting, [{ ...ended, seq: 8, at: timeAt(9) } as RunEvent]);
  expect(closed.waits.at(-1)).toEqual({ kind: 'queued', startedAt: timeAt(6), endedAt: timeAt(9) });
});
