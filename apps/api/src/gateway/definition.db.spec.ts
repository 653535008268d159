import type { Question } from '@pilothouse/contract';
import { until } from '@pilothouse/testing';
import { useGateway } from '../testing/gateway.fixture.ts';
import { acted, acting, type WireWorker } from '../testing/wire-worker.fixture.ts';
import { useWire } from '../testing/wired.fixture.ts';

const house = useGateway();

const question: Question = {
  step: 0,
  id: null,
  reason: 'Step 1 may have happened before',
  choices: [{ choice: 'repeat', title: 'It did not' }],
};

describe('a workflow that is read after a reconnect, because of how its run goes on', () => {
  const wired = useWire(house);

  it.each<[string, Parameters<WireWorker['append']>[2]]>([
    ['awaiting_user', { question }],
    ['completed', { outcome: { status: 'completed', output: {} } }],
  ])('is read again when that failed: %s', async (status, rider) => {
    const w = house.worker();
    await w.connect();
    const run = await house.submit();
    const attempt = await w.take(run);
    await house.whenAccepted(run);
    w.cut();
    const { url, way } = house.replica(wired.pool);
    await Promise.all([house.way.sweeper.stop(), way.sweeper.stop()]);
    w.url = url;
    await w.connect([attempt], 0);
    await until('nothing is asked', wired.isIdle);
    wired.wire.hang();
    w.append(attempt, [acting(0), acted(0)], rider);
    await until('the workflow is read', wired.isWaiting);
    wired.wire.cut();
    await w.hear('appended', ({ n }) => n === 2);
    expect(await house.statusOf(run)).toMatchObject({ status, epoch: 1 });
    expect(w.said.filter(({ type }) => type === 'refused')).toEqual([]);
  });
});
