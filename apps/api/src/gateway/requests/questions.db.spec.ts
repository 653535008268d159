import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { createEvent, type EventDraft } from '@pilothouse/contract/events/event-log.schema';
import { APPROVAL_QUESTION_NUMBER } from '@pilothouse/contract/run/approval-question';
import type { RunQuestion } from '@pilothouse/contract/run/run-question.schema';
import { workflowDefinitionSchema } from '@pilothouse/contract/workflow/workflow.schema';
import { readEventsAfter } from '@pilothouse/infra-db';
import { until } from '@pilothouse/testing/test-helpers';
import { useGatewayHarness } from '../../testing/gateway.fixture.ts';
import {
  stepCompletedMessage,
  stepStartedMessage,
  type ProtocolWorker,
} from '../../testing/protocol-worker.fixture.ts';

describe('a question to a person', () => {
  const harness = useGatewayHarness();
  const { worker, submit, statusOf, whenStatus, typesOf } = harness;

  const question: RunQuestion = {
    step: 0,
    id: null,
    reason: 'Step 1 may have run before',
    choices: [
      { choice: 'continue', title: 'It happened' },
      { choice: 'retry', title: 'It did not' },
    ],
  };

  /** A run whose worker asks about its first step, at a safe point. */
  const askQuestion = async (w: ProtocolWorker, overrides: Partial<RunQuestion> = {}) => {
    await w.connect();
    const run = await submit();
    const attempt = await w.acceptAssignment(run);
    w.append(attempt, [stepStartedMessage(0)], {
      safePoint: { step: 0, state: 'cookie=42' },
      question: { ...question, ...overrides },
    });
    await w.waitFor('append.ack', ({ run: ackedRun, sequence: n }) => ackedRun === run && n === 1);
    expect(await statusOf(run)).toMatchObject({ status: 'awaiting_user', epoch: 1 });
    return attempt;
  };

  const sealedOf = async (run: string) =>
    (
      await harness.pool.query<{ step: number; state: Buffer }>(
        'SELECT step, state FROM safe_point WHERE run_id = $1',
        [run],
      )
    ).rows[0];

  it('delivers the answer to the asking worker, which continues in place', async () => {
    const w = worker();
    const attempt = await askQuestion(w);
    const { run } = attempt;
    const previousCount = w.received.length;
    expect(await harness.lifecycle.runs.answer(run, { choice: 'retry' }, 'Ada')).toBe(true);
    const { answer } = await w.waitFor('question.answered', () => true, previousCount);
    expect(answer).toEqual({ step: 0, path: '1', choice: 'retry', answeredBy: 'Ada' });
    // Repeated with each renewal until a step starts, because the live event may be lost.
    w.send({ type: 'renew', sentAt: 1, attempts: [attempt] });
    expect(await w.waitFor('renew.ack', ({ sentAt }) => sentAt === 1)).toMatchObject({ answers: [{ run, answer }] });
    w.append(attempt, [stepStartedMessage(0)]);
    await w.waitFor('append.ack', ({ sequence: n }) => n === 2);
    w.send({ type: 'renew', sentAt: 2, attempts: [attempt] });
    expect(await w.waitFor('renew.ack', ({ sentAt }) => sentAt === 2)).toMatchObject({ answers: [] });
    w.append(attempt, [stepCompletedMessage(0)], { outcome: { status: 'completed', output: {} } });
    await whenStatus(run, 'completed');
    expect(await sealedOf(run)).toBeUndefined();
    expect(await typesOf(run)).toEqual([
      '1 run.queued',
      '2 run.assigned',
      '3 step.started',
      '4 run.awaiting_user',
      '5 run.answered',
      '6 step.started',
      '7 step.completed',
      '8 run.completed',
    ]);
  });

  it('releases its slot after a while; the answer goes through the queue, with the safe point', async () => {
    const w = worker();
    const { run, epoch } = await askQuestion(w);
    expect(await sealedOf(run)).toEqual({ step: 0, state: Buffer.from('cookie=42') });
    const error = new PilothouseError('RUN_HANDED_BACK', 'It waits').view();
    w.send({ type: 'handback', run, epoch, error });
    await until('the lease is gone', async () =>
      (await harness.pool.query('SELECT 1 FROM lease WHERE run_id = $1', [run])).rowCount === 0 ? true : null,
    );
    expect(await statusOf(run)).toMatchObject({ status: 'awaiting_user' });
    // The slot is free for another run meanwhile.
    w.send({ type: 'ready', freeSlots: 1 });
    const otherRun = await submit();
    w.append(await w.acceptAssignment(otherRun), [], { outcome: { status: 'completed', output: {} } });
    await whenStatus(otherRun, 'completed');
    w.send({ type: 'ready', freeSlots: 1 });
    expect(await harness.lifecycle.runs.answer(run, { choice: 'continue' }, 'Ada')).toBe(true);
    const { assignment } = await w.waitFor(
      'assign',
      ({ assignment }) => assignment.run === run && assignment.epoch === 2,
    );
    expect(assignment).toMatchObject({
      safePoint: { step: 0, state: 'cookie=42' },
      answer: { step: 0, choice: 'continue', answeredBy: 'Ada' },
      checkpoints: [{ step: 0, status: 'running', epoch: 1 }],
    });
  });

  it.each([{}, { questionNumber: 1, acceptsTarget: true as const }])(
    'is asked again when its slot was released and its browser is reopened: %j',
    async (overrides) => {
      const w = worker();
      const { run, epoch } = await askQuestion(w, overrides);
      const { runs } = harness.lifecycle;
      // The slot is not released, so the browser stays open.
      expect(await runs.reopen(run, 'Ada')).toBe(false);
      w.send({ type: 'handback', run, epoch, error: new PilothouseError('RUN_HANDED_BACK', 'It waits').view() });
      await until('the slot is released', async () => (await typesOf(run)).includes('5 run.slot_released'));
      w.send({ type: 'ready', freeSlots: 1 });
      expect(await runs.reopen(run, 'Ada')).toBe(true);
      const { assignment } = await w.waitFor(
        'assign',
        ({ assignment: { run: assignedRun, epoch } }) => assignedRun === run && epoch === 2,
      );
      const answer =
        'questionNumber' in overrides
          ? { step: 0, path: '1', questionNumber: 1, acceptsTarget: true, choice: 'retry', answeredBy: 'Ada' }
          : null;
      expect(assignment).toMatchObject({ safePoint: { step: 0, state: 'cookie=42' }, answer });
      expect(await statusOf(run)).toMatchObject({ status: 'running', epoch: 2 });
      expect(await runs.reopen(run, 'Ada')).toBe(false);
      expect((await typesOf(run)).slice(5)).toEqual(['6 run.requeued', '7 run.assigned']);
    },
  );

  describe('keeps the conversation of its agent', () => {
    const thought = { step: 0, id: null, turn: 1, thought: 'It asks for a code', plannedActions: [], page: null };
    const prompt = { name: 'act-text', version: 8 };
    const turnEvent = createEvent('agent.turn', 'It asks for a code', { ...thought, prompt, tier: 'text' }, new Date());

    /** A run whose agent asked this long ago, and whose worker is gone. */
    const askedBefore = async (w: ProtocolWorker, ago: string): Promise<string> => {
      await w.connect();
      const run = await submit();
      const attempt = await w.acceptAssignment(run);
      w.append(attempt, [stepStartedMessage(0), turnEvent], { question: { ...question, questionNumber: 1 } });
      await w.waitFor('append.ack', ({ run: ackedRun, sequence: n }) => ackedRun === run && n === 2);
      w.send({ type: 'handback', ...attempt, error: new PilothouseError('RUN_HANDED_BACK', 'It waits').view() });
      await until('the lease is gone', async () =>
        (await harness.pool.query('SELECT 1 FROM lease WHERE run_id = $1', [run])).rowCount === 0 ? true : null,
      );
      const past = [run, ago];
      await harness.pool.query(`UPDATE run_event SET occurred_at = occurred_at - $2::interval WHERE run_id = $1`, past);
      await harness.pool.query(
        `UPDATE run SET created_at = created_at - $2::interval, question_asked_at = question_asked_at - $2::interval,
           question_expires_at = question_expires_at - $2::interval WHERE id = $1`,
        past,
      );
      return run;
    };

    it('for a day: another worker receives all thoughts and actions', async () => {
      const w = worker();
      const run = await askedBefore(w, '23 hours 50 minutes');
      w.send({ type: 'ready', freeSlots: 1 });
      expect(await harness.lifecycle.runs.answer(run, { choice: 'continue', text: '4711' }, 'Ada')).toBe(true);
      const { assignment } = await w.waitFor(
        'assign',
        ({ assignment: { run: assignedRun, epoch } }) => assignedRun === run && epoch === 2,
      );
      expect(assignment).toMatchObject({
        agentEvents: [{ type: 'agent.turn', data: thought }],
        answer: { questionNumber: 1, choice: 'continue', text: '4711' },
      });
    });

    it('but not after the question has timed out', async () => {
      const run = await askedBefore(worker(), '24 hours');
      expect(await whenStatus(run, 'failed')).toMatchObject({ error: { code: 'ANSWER_TIMED_OUT' } });
    });
  });

  it('stays open when its worker is lost', async () => {
    const { run } = await askQuestion(worker());
    await harness.expire(run);
    await until('the lease is gone', async () =>
      (await harness.pool.query('SELECT 1 FROM lease WHERE run_id = $1', [run])).rowCount === 0 ? true : null,
    );
    expect(await statusOf(run)).toMatchObject({ status: 'awaiting_user', epoch: 1 });
    expect(await harness.lifecycle.runs.answer(run, { choice: 'retry' }, 'Ada')).toBe(true);
    expect(await statusOf(run)).toMatchObject({ status: 'queued' });
  });

  it('accepts a target element only if one is requested, and the step uses it', async () => {
    const target = [{ css: '#new' }, { role: 'button', name: 'Enter' }];
    const w = worker();
    const { run } = await askQuestion(w, { path: '1[2]/1', questionNumber: 1, acceptsTarget: true });
    for (const [invalidAnswer, pointer] of [
      [{ choice: 'continue', target }, '/target'],
      [{ choice: 'retry', text: 'The blue one' }, '/text'],
    ] as const)
      await expect(harness.lifecycle.runs.answer(run, invalidAnswer, 'Ada')).rejects.toMatchObject({
        fields: [{ pointer }],
      });
    // The key belongs to another attempt.
    expect(await harness.lifecycle.runs.answer(run, { question: '2.0.1', choice: 'retry', target }, 'Ada')).toBe(false);
    expect(await harness.lifecycle.runs.answer(run, { question: '1.0.1', choice: 'retry', target }, 'Ada')).toBe(true);
    expect((await w.waitFor('question.answered', ({ run: answeredRun }) => answeredRun === run)).answer).toEqual({
      ...{ step: 0, path: '1[2]/1', questionNumber: 1, acceptsTarget: true, choice: 'retry', answeredBy: 'Ada' },
      target,
    });
    const otherAttempt = await askQuestion(worker(), { questionNumber: 1 });
    await expect(
      harness.lifecycle.runs.answer(otherAttempt.run, { choice: 'retry', target }, 'Ada'),
    ).rejects.toMatchObject({
      fields: [{ pointer: '/target' }],
    });
  });

  it('about a target stays answered until a later step starts, even after lost workers', async () => {
    const { run } = await askQuestion(worker(), { step: 1, questionNumber: 1, acceptsTarget: true });
    await harness.expire(run);
    await until('the lease is gone', async () =>
      (await harness.pool.query('SELECT 1 FROM lease WHERE run_id = $1', [run])).rowCount === 0 ? true : null,
    );
    expect(await harness.lifecycle.runs.answer(run, { choice: 'continue' }, 'Ada')).toBe(true);
    /** Returns the assignment of the next worker, which is lost after these events. */
    const attempt = async (epoch: number, events: EventDraft[]) => {
      const w = worker();
      await w.connect();
      const { assignment } = await w.waitFor('assign', ({ assignment: { run: assignedRun } }) => assignedRun === run);
      w.send({ type: 'accepted', run, epoch });
      if (events.length > 0) {
        const last = w.append({ run, epoch }, events);
        await w.waitFor('append.ack', ({ sequence: n }) => n === last);
      }
      await harness.expire(run);
      return assignment;
    };
    const answer = { step: 1, questionNumber: 1, acceptsTarget: true, choice: 'continue', answeredBy: 'Ada' };
    expect(await attempt(2, [stepStartedMessage(0)])).toMatchObject({ epoch: 2, answer });
    expect(await attempt(3, [stepCompletedMessage(0), stepStartedMessage(1)])).toMatchObject({ epoch: 3, answer });
    expect(await attempt(4, [stepCompletedMessage(1), stepStartedMessage(2)])).toMatchObject({ epoch: 4, answer });
    expect(await attempt(5, [])).toMatchObject({ epoch: 5, answer: null });
  });

  it('allows only its choices, and only one answer', async () => {
    const { run } = await askQuestion(worker());
    await expect(harness.lifecycle.runs.answer(run, { choice: 'fail' }, 'Ada')).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    });
    const answers = await Promise.all([
      harness.lifecycle.runs.answer(run, { choice: 'retry' }, 'Ada'),
      harness.lifecycle.runs.answer(run, { choice: 'continue' }, 'Ben'),
    ]);
    expect(answers.filter((isAccepted) => isAccepted)).toHaveLength(1);
    expect(await harness.lifecycle.runs.answer(run, { choice: 'retry' }, 'Ada')).toBe(false);
  });

  it.each([
    [
      'answered',
      (run: string, question?: string) => harness.lifecycle.runs.answer(run, { question, choice: 'retry' }, 'Ada'),
    ],
    ['dismissed', (run: string, key = '1.0.0') => harness.lifecycle.runs.complete(run, 'Ada', key)],
  ])('that is %s during a later question leaves the later one open', async (_, answer) => {
    const { run } = await askQuestion(worker());
    expect(await answer(run, '1.0.1')).toBe(false);
    const changing = await harness.pool.connect();
    try {
      await changing.query('BEGIN');
      const next = JSON.stringify({ ...question, questionNumber: 1 });
      await changing.query('UPDATE run SET question = $2 WHERE id = $1', [run, next]);
      const answering = answer(run);
      await until('it has read the question, and waits for the row', async () => {
        const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        return (await harness.pool.query(waiting)).rowCount === 1;
      });
      await changing.query('COMMIT');
      expect(await answering).toBe(false);
    } finally {
      changing.release();
    }
    expect(await statusOf(run)).toMatchObject({ status: 'awaiting_user', epoch: 1 });
    expect(await answer(run, '1.0.1')).toBe(true);
  });

  it('about the approval of a step is not answered in text', async () => {
    const { run } = await askQuestion(worker(), { questionNumber: APPROVAL_QUESTION_NUMBER });
    const { runs } = harness.lifecycle;
    await expect(runs.answer(run, { choice: 'continue', text: 'Go on' }, 'Ada')).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      fields: [{ pointer: '/text' }],
    });
    expect(await runs.answer(run, { choice: 'continue' }, 'Ada')).toBe(true);
  });

  it('of an agent is answered in text, by its key; one about a step is not', async () => {
    const w = worker();
    const attempt = await askQuestion(w);
    await expect(
      harness.lifecycle.runs.answer(attempt.run, { choice: 'continue', text: 'It is there' }, 'Ada'),
    ).rejects.toMatchObject({ code: 'VALIDATION_FAILED', fields: [{ pointer: '/text' }] });
    expect(await harness.lifecycle.runs.answer(attempt.run, { choice: 'continue' }, 'Ada')).toBe(true);
    await w.waitFor('question.answered');
    for (const [index, text] of ['grey', 'large'].entries()) {
      const previousCount = w.received.length;
      w.append(attempt, [], { question: { ...question, questionNumber: index + 1 } });
      await until('it waits', async () => (await statusOf(attempt.run))?.status === 'awaiting_user');
      expect(await harness.lifecycle.runs.answer(attempt.run, { choice: 'continue', text }, 'Ada')).toBe(true);
      const { answer } = await w.waitFor('question.answered', () => true, previousCount);
      expect(answer).toEqual({
        step: 0,
        path: '1',
        questionNumber: index + 1,
        choice: 'continue',
        text,
        answeredBy: 'Ada',
      });
    }
    const resumed = (await readEventsAfter(harness.pool, attempt.run, 0)).filter(({ type }) => type === 'run.answered');
    expect(resumed.map(({ message }) => message)).toEqual([
      'Ada answered: continue',
      'Ada answered: continue: grey',
      'Ada answered: continue: large',
    ]);
  });

  it('ends with the run: dismissal completes it, cancellation cancels it', async () => {
    const w = worker();
    const dismissed = await askQuestion(w);
    expect(await harness.lifecycle.runs.complete(dismissed.run, 'Ada')).toBe(true);
    expect(await statusOf(dismissed.run)).toMatchObject({ status: 'completed', output: null });
    const events = await readEventsAfter(harness.pool, dismissed.run, 0);
    expect(events.at(-1)).toMatchObject({ type: 'run.completed', data: { dismissedBy: 'Ada' } });
    // Its worker is notified that the attempt is lost.
    w.send({ type: 'renew', sentAt: 1, attempts: [dismissed] });
    expect(await w.waitFor('renew.ack', ({ sentAt }) => sentAt === 1)).toMatchObject({ attempts: [] });
    const cancelled = await askQuestion(worker());
    expect(await harness.lifecycle.runs.cancel(cancelled.run, 'Ada')).toBe('cancelled');
  });

  it('fails the run when it is not answered in time', async () => {
    const w = worker();
    await w.connect();
    const run = await submit({
      definition: workflowDefinitionSchema.parse({
        name: 'spec',
        steps: [{ action: 'press', key: 'Enter' }],
        answerTimeout: 0.1,
      }),
    });
    const attempt = await w.acceptAssignment(run);
    w.append(attempt, [stepStartedMessage(0)], { question });
    expect(await whenStatus(run, 'failed')).toMatchObject({ error: { code: 'ANSWER_TIMED_OUT' } });
  });
});
