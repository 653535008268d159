import type { EventType, RunEvent, RunStepView, RunView } from '@pilothouse/contract';
import { createRunState, type RunState } from './run-state.ts';
import { imagesOf, isClosed, displayStatusOf, videoSecondsOf, usageOf } from './run-state-selectors.ts';
import { applyEvents, applyThinking } from './run-event-reducers.ts';

const at = (second: number) => new Date(1e12 + second * 1000).toISOString();
const error = { code: 'TARGET_NOT_FOUND', message: 'Nothing is there', retry: 'no' } as const;

const begun = (titles: string[]): RunState =>
  createRunState(
    {
      id: 'r',
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
        at: at(index),
        data,
      }) as unknown as RunEvent,
  );

const looks = ({ steps, status }: RunState) => steps.map((step) => displayStatusOf(step, status));

test('a step that is attempted again has its failed attempts, until the next one begins', () => {
  const ref = { step: 0, path: 'order', id: 'order' };
  const acting = { ...ref, action: 'click', title: 'Order', summary: '' };
  const retrying = { ...ref, maxAttempts: 3, errorCode: error.code, error, durationMs: 40, nextAttemptAt: at(9) };
  const all = events(
    ['run.assigned', { worker: 'w1', fleet: 'f' }],
    ['step.started', acting],
    ['step.retrying', { ...retrying, attempt: 1 }],
    ['step.started', { ...acting, attempt: 2 }],
    ['step.retrying', { ...retrying, attempt: 2 }],
  );
  const waits = applyEvents(begun(['a']), all);
  const failed = { maxAttempts: 3, code: error.code, message: error.message, durationMs: 40 };
  expect(waits.steps[0]).toMatchObject({
    path: 'order',
    status: 'retrying',
    attempts: 2,
    nextAttemptAt: at(9),
    failedAttempts: [
      { ...failed, attempt: 1 },
      { ...failed, attempt: 2 },
    ],
  });
  expect(looks(waits)).toEqual(['retrying']);
  const [, , , , , ...rest] = events(
    ...all.map(({ type, data }): [EventType, Record<string, unknown>] => [type, data]),
    ['step.started', { ...acting, attempt: 3 }],
    ['step.completed', { ...ref, tier: 'replay', durationMs: 1, located: null, page: null }],
    ['run.completed', { output: null, durationMs: 1 }],
  );
  const done = applyEvents(waits, rest);
  expect(done.steps[0]).toMatchObject({ status: 'completed', attempts: 3, nextAttemptAt: null, error: null });
  // A worker that is lost in the backoff leaves a step that was interrupted.
  const [, , , , , lost] = events(...all.map(({ type, data }): [EventType, Record<string, unknown>] => [type, data]), [
    'run.requeued',
    { error, worker: null },
  ]);
  expect(looks(applyEvents(waits, lost ? [lost] : []))).toEqual(['interrupted']);
});

test('a run that goes well, event by event or all at once', () => {
  const all = events(
    ['run.assigned', { worker: 'w1', fleet: 'f' }],
    ['step.started', { step: 0, id: null, action: 'click', title: 'Press', summary: 'Press it' }],
    [
      'step.completed',
      { step: 0, id: null, tier: 'text', ms: 900, located: { locator: 'css=a', triedCount: 2 }, value: 3, page: null },
    ],
    ['step.skipped', { step: 1, id: null, reason: 'when is false' }],
    ['run.completed', { output: { a: 1 }, ms: 1 }],
  );
  const once = applyEvents(begun(['a', 'b']), all);
  expect(all.reduce((state, event) => applyEvents(state, [event]), begun(['a', 'b']))).toEqual(once);
  expect(once).toMatchObject({ status: 'completed', worker: 'w1', seq: 5, output: { a: 1 }, finishedAt: at(4) });
  expect(once.steps[0]).toMatchObject({ title: 'Press', tier: 'text', value: 3, startedAt: at(1), finishedAt: at(2) });
  expect(looks(once)).toEqual(['completed', 'skipped']);
  // What is told again changes nothing, and what was told before stays as it was.
  const before = begun(['a', 'b']);
  expect(applyEvents(once, all)).toEqual(once);
  expect(before).toEqual(begun(['a', 'b']));
});

test('what was at work when a worker went, or a person is asked, stands still, and goes on', () => {
  const started = ['step.started', { step: 0, id: null, action: 'click', title: 'a', summary: '' }] as [
    EventType,
    Record<string, unknown>,
  ];
  const lost = applyEvents(begun(['a', 'b']), events(started, ['run.requeued', { error, worker: 'w1' }]));
  expect(looks(lost)).toEqual(['interrupted', 'pending']);
  const question = {
    step: 0,
    id: null,
    key: '1.0.0',
    reason: 'Did it happen?',
    choices: [{ choice: 'retry', title: 'Again' }],
    expiresAt: at(60),
  };
  const args = events(
    started,
    ['run.awaiting_user', question],
    ['run.answered', { step: 0, choice: 'retry', answeredBy: 'ada' }],
    started,
  );
  const waits = applyEvents(begun(['a', 'b']), args.slice(0, 2));
  expect(waits).toMatchObject({
    status: 'awaiting_user',
    question: { key: '1.0.0', reason: 'Did it happen?', askedAt: at(1) },
  });
  expect(looks(waits)).toEqual(['interrupted', 'pending']);
  // An API of before gives no key, and refuses an answer that has one.
  const { key, ...unnamed } = question;
  const ofBefore = applyEvents(begun(['a', 'b']), events(started, ['run.awaiting_user', unnamed]));
  expect(ofBefore.question).toEqual({ ...unnamed, askedAt: at(1) });
  const goesOn = applyEvents(waits, args);
  expect(goesOn.question).toBeNull();
  expect(looks(goesOn)).toEqual(['running', 'pending']);
});

test('steps that control flow makes come to their place, and what was not reached is skipped', () => {
  const state = applyEvents(
    begun(['a', 'b']),
    events(
      ['step.started', { step: 5, id: null, path: '2[3]/1', action: 'click', title: 'in a round', summary: '' }],
      ['step.failed', { step: 5, id: null, error, durationMs: 2 }],
      ['run.failed', { error, step: 5 }],
    ),
  );
  expect(state.steps.map(({ index, path: place }) => [index, place])).toEqual([
    [0, '1'],
    [1, '2'],
    [5, '2[3]/1'],
  ]);
  expect(looks(state)).toEqual(['skipped', 'skipped', 'failed']);
  expect(state.error).toEqual(error);
});

test('a step with branches says which of them does what', () => {
  const branch = { step: 0, id: null, branch: 'left', n: 1 };
  const state = applyEvents(
    begun(['a']),
    events(
      ['branch.step_started', { ...branch, action: 'click', title: 'Open' }],
      ['branch.step_completed', { ...branch, ms: 2, error: null, page: null }],
    ),
  );
  expect(state.steps[0]?.note).toBe('In left: Open');
});

test('an agent thinks and acts in turns, and models are counted', () => {
  const turn = { step: 0, id: null, turn: 1 };
  const call = { step: 0, role: 'act', provider: 'p', model: 'm', durationMs: 5, inputTokens: 10, outputTokens: 2 };
  const state = applyEvents(
    begun(['a']),
    events(
      [
        'agent.turn',
        { ...turn, thought: 'Press it', subGoals: 'next: press', actions: [], page: { url: 'u', title: 't' } },
      ],
      ['agent.action_started', { ...turn, sequence: 1, title: 'Click a' }],
      ['agent.action_completed', { ...turn, sequence: 1, durationMs: 7, error: null }],
      ['agent.note', { ...turn, kind: 'verified', note: 'It is so' }],
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
      actions: [{ n: 1, title: 'Click a', ms: 7, error: null }],
      notes: [{ note: 'It is so', isPositive: true }],
    },
  ]);
  expect(usageOf(state.calls)).toEqual({ calls: 2, tokens: 24, usd: 0.5 });
  expect(state.calls.map(({ tier }) => tier)).toEqual(['text', 'vision']);
});

test('agents of branches have turns of their own', () => {
  const thought = (where: object, text: string): Parameters<typeof events>[number] => [
    'agent.turn',
    { step: 0, id: null, turn: 1, thought: text, actions: [], page: null, ...where },
  ];
  const state = applyEvents(
    begun(['a']),
    events(thought({ branch: 'left' }, 'Left'), thought({ branch: 'right', branchPath: '2[1]/1' }, 'Right')),
  );
  expect(state.steps[0]?.turns).toMatchObject([
    { branch: 'left', turn: 1, thought: 'Left' },
    { branch: 'right/2[1]/1', turn: 1, thought: 'Right' },
  ]);
});

test('knows which image is before a step, and which moment of a video it is', () => {
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
    begun(['a']),
    events(['artifact.created', file('a.jpg', 'before')], ['artifact.created', file('a-before.jpg', 'after')]),
  );
  expect(imagesOf(state, 0)).toMatchObject({ before: { id: 'a.jpg' }, after: { id: 'a-before.jpg' } });
  expect(imagesOf(state, 1)).toEqual({ before: undefined, after: undefined });
  const video = { ...state.artifacts[0]!, at: at(100) };
  expect([
    videoSecondsOf(video, 30, at(80)),
    videoSecondsOf(video, 30, at(10)),
    videoSecondsOf(video, 30, at(101)),
  ]).toEqual([10, 0, 30]);
});

test('a thought that grows stands until it is whole, and one that is told too late not at all', () => {
  const told = events(
    ['step.started', { step: 0, id: null, action: 'goal', title: 'Find it', summary: '' }],
    ['agent.turn', { step: 0, turn: 1, thought: 'I see it', page: { url: 'u', title: 't' } }],
    ['run.requeued', { error, worker: null }],
  );
  const grown = { step: 0, turn: 1, text: 'I s' };
  expect(applyThinking(begun(['Find it']), grown).thinking).toEqual([]);
  const started = applyEvents(begun(['Find it']), told.slice(0, 1));
  expect(applyThinking(started, grown).thinking).toEqual([grown]);
  const whole = applyEvents(applyThinking(started, grown), told.slice(0, 2));
  expect([whole.thinking, whole.steps[0]?.turns[0]?.thought]).toEqual([[], 'I see it']);
  expect(applyThinking(whole, grown)).toBe(whole);
  const next = applyThinking(whole, { ...grown, turn: 2 });
  expect(next.thinking).toMatchObject([{ turn: 2 }]);
  expect(applyEvents(next, told).thinking).toEqual([]);
  // A verdict is of a turn that is known.
  const judged = applyThinking(whole, { ...grown, subject: 'verdict' });
  expect(judged.thinking).toMatchObject([{ subject: 'verdict' }]);
});

test('of several branches each has its own thought', () => {
  const at = (branch: string) => ({ step: 0, turn: 1, branch });
  const told = events(
    ['step.started', { step: 0, id: null, action: 'parallel', title: 'Both', summary: '' }],
    ['agent.turn', { ...at('one'), thought: 'I see it', page: { url: 'u', title: 't' } }],
    ['agent.note', { ...at('two'), kind: 'verified', note: 'So it is' }],
  );
  const started = applyEvents(begun(['Both']), told.slice(0, 1));
  const first = applyThinking(started, { ...at('one'), text: 'I' });
  const both = applyThinking(applyThinking(first, { ...at('two'), text: 'W' }), { ...at('one'), text: 'I s' });
  expect(both.thinking).toEqual([
    { ...at('two'), text: 'W' },
    { ...at('one'), text: 'I s' },
  ]);
  const one = applyEvents(both, told.slice(0, 2));
  expect(one.thinking).toMatchObject([{ branch: 'two' }]);
  expect(applyThinking(one, { ...at('one'), text: 'I see' })).toBe(one);
  expect(applyEvents(one, told).thinking).toEqual([]);
});

test('a step that stood still for a person at the wheel goes on with its run', () => {
  const told = events(
    ['run.assigned', { worker: 'w1', fleet: 'f' }],
    ['step.started', { step: 0, id: null, action: 'click', title: 'Press', summary: '' }],
    ['run.awaiting_user', { reason: 'Ada drives', step: 0, controlToken: 1, choices: [], key: 'k', expiresAt: at(60) }],
    ['run.answered', { step: 0, choice: 'retry', answeredBy: 'Ada', controlToken: 1 }],
  );
  expect(looks(applyEvents(begun(['a']), told.slice(0, 3)))).toEqual(['interrupted']);
  expect(looks(applyEvents(begun(['a']), told))).toEqual(['running']);
  // Without a worker it is queued again, and no step is at work.
  const queued = applyEvents({ ...begun(['a']), worker: null }, told.slice(1));
  expect([queued.status, looks(queued)]).toEqual(['queued', ['interrupted']]);
});

test('a step of a run that a person cancelled did not fail', () => {
  const cancelled = { code: 'RUN_CANCELLED', message: 'The run was cancelled', retry: 'no' } as const;
  const started = { step: 0, id: null, action: 'click', title: 'Press', summary: '' };
  const failed = applyEvents(
    begun(['a', 'b']),
    events(
      ['run.assigned', { worker: 'w1', fleet: 'f' }],
      ['step.started', started],
      ['run.cancelling', { requestedBy: 'Ada' }],
      ['step.failed', { step: 0, error: cancelled, ms: 1 }],
      ['run.cancelled', { requestedBy: 'request' }],
    ),
  );
  expect([looks(failed), failed.cancelledBy]).toEqual([['cancelled', 'skipped'], 'Ada']);
  const stood = applyEvents(begun(['a']), events(['step.started', started], ['run.cancelled', { requestedBy: 'Bo' }]));
  expect([looks(stood), stood.cancelledBy]).toEqual([['cancelled'], 'Bo']);
  const lost = applyEvents(begun(['a']), events(['step.started', started], ['run.failed', { error, step: 0 }]));
  expect(looks(lost)).toEqual(['interrupted']);
});

test('a dialog of the page is shown to the person in control, until control is released', () => {
  const message = 'A dialog of the page was dismissed: Delete 3 rows?';
  const [taken, answered, returned] = events(
    ['control.taken', { operator: 'Ada', token: 1 }],
    ['run.log', { facts: { dialog: 'confirm', accepted: false } }],
    ['control.released', { operator: 'Ada', token: 1, reason: 'released' }],
  ) as [RunEvent, RunEvent, RunEvent];
  const state = applyEvents(begun(['Press']), [taken, { ...answered, message }]);
  expect(state.dialog).toBe(`${message}. A dialog without an answer is dismissed after 30 seconds.`);
  expect(applyEvents(state, [returned]).dialog).toBeNull();
});

test('a waiting run whose slot was released has no browser until a worker takes it', () => {
  const question = { step: 0, id: null, reason: 'Which?', choices: [], expiresAt: at(60) };
  const all = events(
    ['run.assigned', { worker: 'w1', fleet: 'f' }],
    ['run.awaiting_user', question],
    ['run.slot_released', { worker: 'w1' }],
    ['run.requeued', { error, worker: null }],
    ['run.assigned', { worker: 'w2', fleet: 'f' }],
    ['run.awaiting_user', question],
  );
  const closed = all.map((_, index) => isClosed(applyEvents(begun(['a']), all.slice(0, index + 1))));
  expect(closed).toEqual([false, false, true, false, false, false]);
  expect(applyEvents(begun(['a']), all.slice(0, 3)).closedAt).toBe(at(2));
});

test('a dialog of the page is open until it is closed, or control ends', () => {
  const [, first, second] = ['', 'one', 'two'].map((dialog) => ({ step: 0, id: null, dialog }));
  const open = { kind: 'prompt', question: 'Which port?', text: 'Bergen', operator: 'Ada', timeoutMs: 30_000 };
  const [taken, opened, another, closed, returned] = events(
    ['control.taken', { operator: 'Ada', token: 1 }],
    ['dialog.opened', { ...first, ...open }],
    ['dialog.opened', { ...second, ...open }],
    ['dialog.closed', { ...first, accepted: true, reason: 'answered' }],
    ['control.released', { operator: 'Ada', token: 1, reason: 'released' }],
  ) as RunEvent[] as [RunEvent, RunEvent, RunEvent, RunEvent, RunEvent];
  const state = applyEvents(begun(['Press']), [taken, opened, another]);
  expect(state.openDialogs.map(({ dialog }) => dialog)).toEqual(['one', 'two']);
  const left = applyEvents(state, [closed]);
  const prompt = { kind: 'prompt', question: 'Which port?', text: 'Bergen', multiple: false };
  expect(left.openDialogs).toEqual([{ dialog: 'two', ...prompt }]);
  expect(applyEvents(left, [returned]).openDialogs).toEqual([]);
});

test('a file chooser is open until the page has the files; why it got none is shown', () => {
  const ref = { step: 0, id: null, dialog: 'one' };
  const chooser = { kind: 'files', question: '', text: null, multiple: true };
  const [taken, opened, failed, another] = events(
    ['control.taken', { operator: 'Ada', token: 1 }],
    ['dialog.opened', { ...ref, ...chooser, operator: 'Ada', timeoutMs: 600_000 }],
    ['dialog.closed', { ...ref, accepted: false, reason: 'failed' }],
    ['dialog.opened', { ...ref, ...chooser, dialog: 'two', operator: 'Ada', timeoutMs: 600_000 }],
  ) as RunEvent[] as [RunEvent, RunEvent, RunEvent, RunEvent];
  const state = applyEvents(begun(['Press']), [taken, opened]);
  expect(state.openDialogs).toEqual([{ dialog: 'one', ...chooser }]);
  const message = 'The page got no file: it is too large';
  const closed = applyEvents(state, [{ ...failed, message }]);
  expect([closed.openDialogs, closed.dialog]).toEqual([[], message]);
  // The next one takes the notice away.
  expect(applyEvents(closed, [another]).dialog).toBeNull();
});
