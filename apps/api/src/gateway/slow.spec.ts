import { until } from '@pilothouse/testing';
import { useGateway } from '../testing/gateway.fixture.ts';

const house = useGateway();

it('cuts a worker that does not read; another one takes its runs', async () => {
  const { slots } = house.fleet;
  const stuck = house.worker(slots);
  await stuck.connect();
  stuck.stopReading();
  // Half of them are more than may wait to be sent, and than what the system takes besides.
  const text = 'x'.repeat(12_000_000);
  const runs: string[] = [];
  for (let number = 0; number < slots; number += 1) runs.push(await house.submit({ inputs: { text } }));
  await until('the socket is cut', () =>
    house.log.lines.some(({ message }) => message === 'A worker does not read; its socket is cut'),
  );

  const next = house.worker(slots);
  next.onMessage = (message) => {
    if (message.type !== 'assign') return;
    const { run, epoch } = message.assignment;
    next.send({ type: 'accepted', run, epoch });
    next.append({ run, epoch }, [], { outcome: { status: 'completed', output: {} } });
    next.send({ type: 'ready', free: slots });
  };
  await next.connect();
  for (const run of runs) await house.whenStatus(run, 'completed', 20_000);
}, 60_000);
