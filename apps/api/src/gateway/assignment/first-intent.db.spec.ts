import { workflowDefinitionSchema, type WorkflowDefinition } from '@pilothouse/contract/workflow/workflow.schema';
import { firstStepIntent } from '@pilothouse/core/run/step-intent';
import { until } from '@pilothouse/testing/test-helpers';
import { useGatewayHarness } from '../../testing/gateway.fixture.ts';
import { stepCompletedMessage } from '../../testing/protocol-worker.fixture.ts';

describe('an intent created with the claim', () => {
  const harness = useGatewayHarness();
  const { worker, submit, statusOf, typesOf } = harness;

  const definition: WorkflowDefinition = workflowDefinitionSchema.parse({
    name: 'spec',
    steps: [{ action: 'press', key: 'Enter', id: 'first' }],
    outputSchema: { type: 'object' },
  });
  const firstIntent = firstStepIntent(definition, { run: 'spec', inputs: {}, secrets: [] });
  const rowOf = async (run: string) =>
    (
      await harness.pool.query(
        `SELECT r.first_intent AS "firstIntent", r.used_steps, r.current_step, r.attempt_event_seq, r.accepted_attempts AS attempts, s.status AS step, s.path, s.epoch AS "stepEpoch",
                l.accepted_at IS NOT NULL AS accepted
         FROM run r LEFT JOIN run_step s ON s.run_id = r.id LEFT JOIN lease l ON l.run_id = r.id WHERE r.id = $1`,
        [run],
      )
    ).rows[0];

  it('is durable before the assignment, and the worker continues from it', async () => {
    const w = worker();
    await w.connect();
    w.send({ type: 'renew', sentAt: 17, attempts: [] });
    await w.waitFor('renew.ack');
    const run = await submit({ definition, firstIntent });
    const { assignment } = await w.waitFor('assign');
    expect(assignment).toMatchObject({
      firstIntentWritten: true,
      leaseCountsFrom: 17,
      checkpoints: [],
      budget: { usedSteps: 0 },
    });
    expect(await typesOf(run)).toEqual(['1 run.queued', '2 run.assigned', '3 step.started']);
    expect(await rowOf(run)).toMatchObject({
      firstIntent: null,
      used_steps: 1,
      current_step: 0,
      attempt_event_seq: 1,
      step: 'running',
      path: 'first',
      stepEpoch: 1,
    });
    const attempt = await w.acceptAssignment(run);
    w.append(attempt, [stepCompletedMessage(0)], { outcome: { status: 'completed', output: {} } }, 2);
    expect(await w.waitFor('append.ack', ({ isFinal }) => isFinal)).toMatchObject({ sequence: 2, leaseRenewed: true });
    expect(await typesOf(run)).toEqual([
      '1 run.queued',
      '2 run.assigned',
      '3 step.started',
      '4 step.completed',
      '5 run.completed',
    ]);
    expect(await statusOf(run)).toMatchObject({ status: 'completed' });
    expect(await rowOf(run)).toMatchObject({ attempts: 1, step: 'completed', used_steps: 1 });
  });

  it('is passed to the next worker after a loss, and not created again', async () => {
    const lost = worker();
    await lost.connect();
    const run = await submit({ definition, firstIntent });
    await lost.acceptAssignment(run);
    lost.disconnect();
    const heir = worker();
    await heir.connect();
    await harness.expire(run);
    const { assignment } = await heir.waitFor('assign');
    expect(assignment).toMatchObject({
      epoch: 2,
      firstIntentWritten: false,
      checkpoints: [{ step: 0, status: 'running', epoch: 1 }],
      budget: { usedSteps: 1 },
    });
    expect((await typesOf(run)).filter((type) => type.endsWith('step.started'))).toEqual(['3 step.started']);
  });

  it('needs no accept message, even after the gateway missed one', async () => {
    const w = worker();
    await w.connect();
    const run = await submit({ definition, firstIntent });
    await w.acceptAssignment(run);
    await until('it is accepted', async () => (await rowOf(run)).accepted === true);
    const nextWorker = worker();
    await nextWorker.connect();
    const otherRun = await submit({ definition, firstIntent });
    const { assignment } = await nextWorker.waitFor('assign');
    expect(assignment.run).toBe(otherRun);
    nextWorker.disconnect();
    await nextWorker.connect([{ run: otherRun, epoch: 1 }], 0);
    await until('it is accepted', async () => (await rowOf(otherRun)).accepted === true);
    expect(await statusOf(otherRun)).toMatchObject({ status: 'running', epoch: 1 });
  });

  it('is not created for runs submitted without one', async () => {
    const w = worker();
    await w.connect();
    const run = await submit({ definition });
    const { assignment } = await w.waitFor('assign');
    expect(assignment.firstIntentWritten).toBe(false);
    expect(await typesOf(run)).toEqual(['1 run.queued', '2 run.assigned']);
  });
});
