import { until } from '@pilothouse/testing';
import { useGatewayHarness } from '../../testing/gateway.fixture.ts';

const house = useGatewayHarness();

it('cuts a worker that does not read, and takes its runs back', async () => {
  const { slots } = house.fleet;
  const stuck = house.worker(slots);
  await stuck.connect();
  stuck.stopReading();
  // Half of them are more than may wait to be sent, and than what the system takes besides.
  const text = 'x'.repeat(12_000_000);
  const runs: string[] = [];
  for (let number = 0; number < slots; number += 1) runs.push(await house.submit({ inputs: { text } }));
  const isCut = () =>
    house.log.lines.some(({ message }) => message === 'A worker does not read; its socket is cut') || null;
  await until('the socket is cut', isCut, 30_000);
  for (const run of runs) await house.whenStatus(run, 'queued', 30_000);
  const epochs = await Promise.all(runs.map(async (run) => (await house.statusOf(run))?.epoch ?? 0));
  expect(Math.max(...epochs)).toBeGreaterThan(0);
}, 90_000);
