import { until } from '@pilothouse/testing/test-helpers';
import { useGatewayHarness } from '../../testing/gateway.fixture.ts';

const harness = useGatewayHarness();

it('disconnects a worker that does not read, and reclaims its runs', async () => {
  const { slots } = harness.fleet;
  const stuck = harness.worker(slots);
  await stuck.connect();
  stuck.stopReading();
  // Half of them exceed the send limit plus the buffers of the system.
  const text = 'x'.repeat(12_000_000);
  const runs: string[] = [];
  for (let number = 0; number < slots; number += 1) runs.push(await harness.submit({ inputs: { text } }));
  const isCut = () =>
    harness.log.lines.some(({ message }) => message === 'worker socket closed: worker does not read') || null;
  await until('the socket is cut', isCut, 30_000);
  for (const run of runs) await harness.whenStatus(run, 'queued', 30_000);
  const epochs = await Promise.all(runs.map(async (run) => (await harness.statusOf(run))?.epoch ?? 0));
  expect(Math.max(...epochs)).toBeGreaterThan(0);
}, 90_000);
