import { randomUUID } from 'node:crypto';
import { PilothouseError, type Problem } from '@pilothouse/contract/errors/pilothouse-error';
import { createEvent, type RunEvent } from '@pilothouse/contract/events/event-log.schema';
import { questionKey, type RunQuestion } from '@pilothouse/contract/run/run-question.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
}, 60_000);
afterAll(() => api.close());

/** A run that asks whether a step happened. */
const askQuestion = async (
  run: string,
  subject: Pick<RunQuestion, 'step' | 'path' | 'questionNumber' | 'controlToken'>,
) => {
  const choices: RunQuestion['choices'] = [
    { choice: 'continue', title: 'It happened' },
    { choice: 'retry', title: 'It did not' },
  ];
  const question: RunQuestion = { ...subject, id: null, reason: `Step ${subject.step + 1} may have happened`, choices };
  const now = new Date();
  const written = await api.lifecycle.writer.write({
    run,
    guard: { from: ['running'] },
    to: 'awaiting_user',
    question: { question, seconds: 600 },
    events: [
      createEvent(
        'run.awaiting_user',
        question.reason,
        { ...question, key: questionKey(question, 1), expiresAt: now.toISOString() },
        now,
      ),
    ],
  });
  expect(written).toBeTruthy();
};

const readRun = async (run: string) => (await api.call<RunView>('GET', `/v1/runs/${run}`)).body;
const answer = <Body = Problem>(run: string, body: object) =>
  api.call<Body>('POST', `/v1/runs/${run}/answer`, { body });

/** A run with an answer for its second step, and a question about its first. */
const runAskedTwice = async () => {
  const steps = [{ action: 'screenshot' }, { action: 'screenshot' }];
  const { id } = (await api.call<RunView>('POST', '/v1/runs', { body: { steps } })).body;
  await api.startRun(id);
  await askQuestion(id, { step: 1, path: '1[2]/1' });
  const question = (await readRun(id)).question?.key;
  expect(question).toBe('1.1.0');
  const first = await answer<RunView>(id, { question, choice: 'retry' });
  expect([first.status, first.body.status]).toEqual([200, 'running']);
  const lateAnswer = await answer(id, { question, choice: 'retry' });
  expect([lateAnswer.status, lateAnswer.body.code]).toEqual([409, 'CONFLICT']);
  await askQuestion(id, { step: 0 });
  return { id, question };
};

test('a repeated answer with a question key leaves the next question open', async () => {
  const { id, question } = await runAskedTwice();
  const repeated = await answer(id, { question, choice: 'retry' });
  expect([repeated.status, repeated.body.code, repeated.body.detail]).toEqual([
    409,
    'CONFLICT',
    'The run asks another question now. Reload it.',
  ]);
  expect(await readRun(id)).toMatchObject({ status: 'awaiting_user', question: { step: 0, key: '1.0.0' } });
  const events = await api.context.stores.runs.events(id, 0, 100);
  expect(events.map(({ type }) => type).filter((type) => type === 'run.answered')).toHaveLength(1);

  expect((await answer(id, { question: '1.0.0', choice: 'continue' })).status).toBe(200);
  expect((await api.context.stores.runs.events(id, 0, 100)).at(-1)).toMatchObject({
    type: 'run.answered',
    data: { step: 0, choice: 'continue' },
  });
});

test('a run is ended only for the question that the person saw', async () => {
  const { id, question } = await runAskedTwice();
  const dismiss = <Body = Problem>(body?: object) => api.call<Body>('POST', `/v1/runs/${id}/complete`, { body });
  const lateAnswer = await dismiss({ question });
  expect([lateAnswer.status, lateAnswer.body.code, lateAnswer.body.detail]).toEqual([
    409,
    'CONFLICT',
    'The run asks another question now. Reload it.',
  ]);
  expect((await dismiss({ question: 1 })).status).toBe(400);
  expect(await readRun(id)).toMatchObject({ status: 'awaiting_user', question: { key: '1.0.0' } });
  const dismissed = await dismiss<RunView>({ question: '1.0.0' });
  expect([dismissed.status, dismissed.body.status]).toEqual([200, 'completed']);
});

test('a run is ended at any question if the request names none', async () => {
  const { id } = await runAskedTwice();
  const completed = await api.call<RunView>('POST', `/v1/runs/${id}/complete`);
  expect([completed.status, completed.body.status]).toEqual([200, 'completed']);
});

/** Moves the run from a lost worker to another one. */
const takeControl = async (id: string) => {
  const events = [
    createEvent(
      'run.requeued',
      'Lost',
      { error: new PilothouseError('WORKER_LOST', 'Lost').view(), worker: null },
      new Date(),
    ),
  ];
  await api.lifecycle.writer.write({ run: id, guard: { from: ['running'] }, to: 'queued', events });
  await api.startRun(id);
};

test.each<
  [
    string,
    Pick<RunQuestion, 'step' | 'questionNumber' | 'controlToken'>,
    boolean,
    Pick<RunQuestion, 'step' | 'questionNumber' | 'controlToken'>,
  ]
>([
  ['the same of another attempt', { step: 0 }, true, { step: 0 }],
  ['what an agent asks that began anew', { step: 0, questionNumber: 1 }, true, { step: 0, questionNumber: 1 }],
  ['whether the step that waited for control was executed', { step: 0, controlToken: 7 }, false, { step: 0 }],
  ['the next control session', { step: 0, controlToken: 7 }, false, { step: 0, controlToken: 8 }],
])('a repeated answer does not answer %s', async (_, first, lost, second) => {
  const { id } = (await api.call<RunView>('POST', '/v1/runs', { body: { steps: [{ action: 'screenshot' }] } })).body;
  await api.startRun(id);
  const askAgain = async (subject: typeof first) => {
    // Without an operator, the sweeper releases a requested control session.
    if (subject.controlToken !== undefined)
      expect(await api.lifecycle.runs.control.take(id, { holder: randomUUID(), operator: 'Ada' })).toBeTruthy();
    await askQuestion(id, subject);
  };
  await askAgain(first);
  const question = (await readRun(id)).question?.key;
  expect(question).toBeTruthy();
  expect((await answer(id, { question, choice: 'retry' })).status).toBe(200);
  if (lost) await takeControl(id);
  await askAgain(second);
  const repeated = await answer(id, { question, choice: 'retry' });
  expect([repeated.status, repeated.body.code]).toEqual([409, 'CONFLICT']);
  const open = await readRun(id);
  expect(open).toMatchObject({ status: 'awaiting_user', question: second });
  expect((await answer(id, { question: open.question?.key, choice: 'continue' })).status).toBe(200);
});

test('the question of a run has a key, in the run and in its events', async () => {
  const { id } = (await api.call<RunView>('POST', '/v1/runs', { body: { steps: [{ action: 'screenshot' }] } })).body;
  await api.startRun(id);
  await askQuestion(id, { step: 0, questionNumber: 2 });
  const { items } = (await api.call<{ items: RunEvent[] }>('GET', `/v1/runs/${id}/events?format=json`)).body;
  expect(items.at(-1)).toMatchObject({ type: 'run.awaiting_user', data: { step: 0, questionNumber: 2, key: '1.0.2' } });
  expect((await readRun(id)).question?.key).toBe('1.0.2');
});

test('an answer without a key applies to the current question', async () => {
  const { id } = await runAskedTwice();
  expect((await answer(id, { choice: 'retry' })).status).toBe(200);
  expect((await readRun(id)).question).toBeNull();
});
