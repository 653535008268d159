import type { RunQuestion } from '@pilothouse/contract/run/run-question.schema';
import { useGatewayHarness } from '../../testing/gateway.fixture.ts';
import { stepStartedMessage } from '../../testing/protocol-worker.fixture.ts';

describe('the used seconds of a budget', () => {
  const harness = useGatewayHarness();
  const { worker, submit, whenStatus } = harness;

  /** Moves the start of the attempt, or of its last change, this many seconds into the past. */
  const age = (run: string, seconds: number) =>
    harness.pool.query(
      `UPDATE run SET attempt_started_at = attempt_started_at - $2 * interval '1 second' WHERE id = $1`,
      [run, seconds],
    );

  /** Used seconds in the assignment of the new attempt. A spec takes far fewer seconds than `age` adds. */
  const hundreds = ({ budget }: { budget: { usedSeconds: number } }) => Math.floor(budget.usedSeconds / 100);

  it('add up over attempts, however each one ended, without waits for a person', async () => {
    const [w, next] = [worker(), worker()];
    await w.connect();
    const run = await submit();
    const assigned = async (epoch: number, receiver = w) => {
      const { assignment } = await receiver.waitFor(
        'assign',
        ({ assignment: a }) => a.run === run && a.epoch === epoch,
      );
      await receiver.acceptAssignment(run);
      return assignment;
    };
    const first = await assigned(1);
    expect(hundreds(first)).toBe(0);
    await age(run, 1_000);
    const error = { code: 'RUN_HANDED_BACK' as const, message: 'Draining', retry: 'new-worker' as const };
    w.send({ type: 'handback', run, epoch: 1, error });
    w.send({ type: 'ready', freeSlots: 1 });

    expect(hundreds(await assigned(2))).toBe(10);
    await age(run, 2_000);
    const question: RunQuestion = { step: 0, id: null, reason: 'Why', choices: [{ choice: 'retry', title: 'Do it' }] };
    w.append({ run, epoch: 2 }, [stepStartedMessage(0)], { question });
    await whenStatus(run, 'awaiting_user');
    await age(run, 50_000);
    await harness.lifecycle.runs.answer(run, { choice: 'retry' }, 'Ada');
    await whenStatus(run, 'running');
    await age(run, 400);
    await next.connect();
    await harness.expire(run);
    expect(hundreds(await assigned(3, next))).toBe(34);
  });

  it('are never negative: no worker would accept such a budget', async () => {
    const w = worker();
    await w.connect();
    const run = await submit();
    const attempt = await w.acceptAssignment(run);
    // The clock of PostgreSQL was set back, or a replica with a slower clock has taken over.
    await age(run, -1_000);
    const error = { code: 'RUN_HANDED_BACK' as const, message: 'Draining', retry: 'new-worker' as const };
    w.send({ type: 'handback', ...attempt, error });
    w.send({ type: 'ready', freeSlots: 1 });
    const { assignment } = await w.waitFor('assign', ({ assignment: { epoch } }) => epoch === 2);
    expect(assignment.budget.usedSeconds).toBe(0);
  });
});
