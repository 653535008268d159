import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { useGatewayHarness } from '../../testing/gateway.fixture.ts';
import { stepStartedMessage } from '../../testing/protocol-worker.fixture.ts';

describe('a returned run', () => {
  const harness = useGatewayHarness();
  const { worker, submit, whenStatus } = harness;

  it('goes back to the queue when the worker returns it', async () => {
    const first = worker();
    await first.connect();
    const run = await submit();
    const attempt = await first.acceptAssignment(run);
    first.send({ type: 'ready', freeSlots: 0 });
    const error = { code: 'RUN_HANDED_BACK' as const, message: 'Draining', retry: 'new-worker' as const };
    first.send({ type: 'handback', ...attempt, error });
    const second = worker();
    await second.connect();
    expect(await second.acceptAssignment(run)).toMatchObject({ epoch: 2 });
  });

  it('never counts as poison; repeated crashes of the surface do', async () => {
    const w = worker();
    await w.connect();
    const [poison, patient] = [await submit(), await submit()];
    const handBack = async (run: string, code: 'SURFACE_LOST' | 'RUN_HANDED_BACK') => {
      const attempt = await w.acceptAssignment(run);
      w.append(attempt, [stepStartedMessage(0)]);
      await w.waitFor('append.ack', ({ run: ackedRun, epoch }) => ackedRun === run && epoch === attempt.epoch);
      w.send({ type: 'handback', ...attempt, error: new PilothouseError(code, 'The page crashed').view() });
      w.send({ type: 'ready', freeSlots: 1 });
    };
    const ends = async (run: string, code: 'SURFACE_LOST' | 'RUN_HANDED_BACK', times: number) => {
      for (let epoch = 1; epoch <= times; epoch += 1) {
        await w.waitFor('assign', ({ assignment }) => assignment.run === run && assignment.epoch === epoch);
        await handBack(run, code);
      }
    };
    await Promise.all([ends(poison, 'SURFACE_LOST', 5), ends(patient, 'RUN_HANDED_BACK', 7)]);
    expect(await whenStatus(poison, 'failed')).toMatchObject({ error: { code: 'POISON_RUN' } });
    await w.waitFor('assign', ({ assignment }) => assignment.run === patient && assignment.epoch === 8);
  });
});
