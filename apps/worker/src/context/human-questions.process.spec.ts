import { NullSurfaceHost } from '../surface/null.surface.ts';
import { WorkerHarness } from '../testing/worker-harness.fixture.ts';

describe('a person who takes control before the first step', () => {
  const surfaceOpened = Promise.withResolvers<undefined>();
  let attempts: WorkerHarness;
  beforeEach(async () => {
    const host = new NullSurfaceHost({});
    attempts = await WorkerHarness.start({
      open: (options, context) => surfaceOpened.promise.then(() => host.open(options, context)),
    });
  });
  afterEach(() => attempts.stop());

  test('gets it without an event that could carry the question, and the run continues afterwards', async () => {
    const { gateway } = attempts;
    // A non-repeatable step waits for its surface, which leaves time to receive the request for control.
    const run = attempts.assign({ steps: [{ action: 'press', key: 'Enter', idempotent: false }] });
    gateway.broadcast({
      type: 'control.input',
      run: run.run,
      epoch: 1,
      token: 1,
      operator: 'Ada',
      validMs: 60_000,
      sequence: 0,
      inputs: [],
    });
    const renewals = gateway.all('renew').length + 2;
    await gateway.until(() => gateway.all('renew').length >= renewals, 'it knows about the control');
    surfaceOpened.resolve(undefined);
    expect(await attempts.question()).toMatchObject({ step: 0, controlToken: 1, reason: 'Ada has control' });
    expect(attempts.events(run, 'run.log').map(({ message }) => message)).toEqual([
      'Ada has control: the run pauses before step 1',
    ]);
    expect(attempts.events(run, 'step.started')).toEqual([]);
    gateway.broadcast({
      type: 'control.input',
      run: run.run,
      epoch: 1,
      token: 1,
      operator: 'Ada',
      validMs: 0,
      sequence: 0,
      inputs: [],
    });
    const answer = { step: 0, controlToken: 1, choice: 'continue' as const, answeredBy: 'Ada' };
    gateway.broadcast({ type: 'question.answered', run: run.run, epoch: 1, answer });
    expect(await attempts.waitForOutcome(run)).toMatchObject({ status: 'completed' });
  });
});
