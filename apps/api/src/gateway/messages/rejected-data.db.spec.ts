import { useGatewayHarness } from '../../testing/gateway.fixture.ts';
import { stepCompletedMessage, stepStartedMessage } from '../../testing/protocol-worker.fixture.ts';

const harness = useGatewayHarness();

it('data that PostgreSQL cannot store is rejected at once, without affecting other runs of the worker', async () => {
  const w = harness.worker(2);
  await w.connect();
  const [broken, sound] = [
    await w.acceptAssignment(await harness.submit()),
    await w.acceptAssignment(await harness.submit()),
  ];
  await Promise.all([harness.whenAccepted(broken.run), harness.whenAccepted(sound.run)]);
  // The step number exceeds the range of the column.
  w.append(broken, [stepStartedMessage(3_000_000_000)]);
  w.append(sound, [stepStartedMessage(0), stepCompletedMessage(0)]);
  expect(await w.waitFor('rejected')).toMatchObject({ ...broken, error: { code: 'PROTOCOL_INVALID', retry: 'no' } });
  expect(await w.waitFor('append.ack', ({ run }) => run === sound.run)).toMatchObject({ sequence: 2 });
  expect(w.isClosed).toBe(false);
  expect(harness.log.lines.filter(({ message }) => message.startsWith('write failed'))).toEqual([]);
  expect(await harness.typesOf(broken.run)).toEqual(['1 run.queued', '2 run.assigned']);
});
