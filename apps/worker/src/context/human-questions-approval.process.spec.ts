import { APPROVAL_QUESTION_NUMBER } from '@pilothouse/contract/run/approval-question';
import { NullSurfaceHost } from '../surface/null.surface.ts';
import { WorkerHarness } from '../testing/worker-harness.fixture.ts';

describe('a step that needs approval', () => {
  let attempts: WorkerHarness;
  beforeEach(async () => {
    attempts = await WorkerHarness.start(new NullSurfaceHost({}));
  });
  afterEach(() => attempts.stop());

  const steps = [{ action: 'press' as const, key: 'Enter', approval: 'Allow it to delete {{inputs.host}}' }];
  const source = { steps, inputs: { host: { type: 'string' as const } } };
  const input = { inputs: { host: 'web-1' } };

  test('runs only after a person approves it', async () => {
    const { gateway } = attempts;
    const run = attempts.assign(source, input);
    expect(await attempts.question()).toMatchObject({
      step: 0,
      questionNumber: APPROVAL_QUESTION_NUMBER,
      reason: 'Step 1 (Press Enter) needs approval: Allow it to delete web-1',
      choices: [{ choice: 'continue' }, { choice: 'fail' }],
    });
    expect(attempts.events(run, 'step.started')).toEqual([]);
    const answer = {
      step: 0,
      questionNumber: APPROVAL_QUESTION_NUMBER,
      choice: 'continue' as const,
      answeredBy: 'Ada',
    };
    gateway.broadcast({ type: 'question.answered', run: run.run, epoch: 1, answer });
    expect(await attempts.waitForOutcome(run)).toMatchObject({ status: 'completed' });
    expect(attempts.events(run, 'step.completed')).toHaveLength(1);
  });

  test('fails without being executed when a person refuses', async () => {
    const { gateway } = attempts;
    const run = attempts.assign(source, input);
    await attempts.question();
    const answer = { step: 0, questionNumber: APPROVAL_QUESTION_NUMBER, choice: 'fail' as const, answeredBy: 'Ada' };
    gateway.broadcast({ type: 'question.answered', run: run.run, epoch: 1, answer });
    expect(await attempts.waitForOutcome(run)).toMatchObject({
      status: 'failed',
      error: { code: 'APPROVAL_REQUIRED', message: expect.stringContaining('Ada declined the step') },
    });
    expect(attempts.events(run, 'step.started')).toEqual([]);
  });

  test('runs in the next attempt when the answer arrives after the slot was freed', async () => {
    const answer = {
      step: 0,
      questionNumber: APPROVAL_QUESTION_NUMBER,
      choice: 'continue' as const,
      answeredBy: 'Ada',
    };
    const run = attempts.assign(source, { ...input, answer });
    expect(await attempts.waitForOutcome(run)).toMatchObject({ status: 'completed' });
    expect(attempts.events(run, 'step.completed')).toHaveLength(1);
  });
});
