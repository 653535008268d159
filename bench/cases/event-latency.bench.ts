/** Event latency for a thousand subscribers of twenty live runs. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { atMost, forSize, plain, type Bench } from '../harness/bench.ts';
import { BenchInstallation } from '../harness/bench-installation.ts';
import { round, seriesOf } from '../harness/statistics.ts';
import { blindLoginSteps } from '../harness/bench-demo-site.ts';
import { until } from '../harness/settle.ts';
import type { ReceivedEvents, SubscribersRequest } from '../peers/sse-subscribers.ts';

const RUNS = 20;
const EACH = 50;

/** Response time of the site per step, in milliseconds. */
const STEP_MS = 500;

export const sse: Bench = async (options) => {
  const steps = forSize(options, { smoke: 4, short: 40, full: 200 });
  const installation = await BenchInstallation.start({ ...options, slots: RUNS });
  const readers = fork(join(import.meta.dirname, '../peers/sse-subscribers.ts'));
  try {
    await once(readers, 'message');
    const site = await installation.site();
    await installation.addWorker(RUNS, { PILOTHOUSE_SURFACE: 'http' });
    const slow = { action: 'navigate', url: `${site}/api/tides?ms=${STEP_MS}` };
    // The first steps last until every subscriber is connected.
    const body = { steps: [...blindLoginSteps(site), ...Array.from({ length: steps + 20 }, () => slow)] };
    const runs = await Promise.all(Array.from({ length: RUNS }, () => installation.client.submit(body)));
    for (const { id } of runs)
      await until('the run is at work', async () => (await installation.client.run(id)).currentStep !== null);
    const request: SubscribersRequest = {
      url: installation.url,
      key: installation.client.key,
      runs: runs.map(({ id }) => id),
      each: EACH,
    };
    readers.send(request);
    const [openedMessage] = await once(readers, 'message');
    if (openedMessage !== 'open') throw new Error('Some subscribers did not connect');
    const since = Date.now();
    options.log(`${RUNS * EACH} subscribers are there`);
    const [received] = (await once(readers, 'message')) as [ReceivedEvents];
    const recordedEvents = await installation.rows<{ run: string; seq: number; recorded: Date; at: Date }>(
      'SELECT run_id AS run, seq, recorded_at AS recorded, occurred_at AS at FROM run_event',
    );
    const events = new Map(recordedEvents.map((event) => [`${event.run}/${event.seq}`, event]));
    const fromRecord: number[] = [];
    const fromWorker: number[] = [];
    for (const [index, seq, receivedAt] of received) {
      const event = events.get(`${runs[index]?.id}/${seq}`);
      if (!event || event.recorded.getTime() <= since) continue;
      fromRecord.push(receivedAt - event.recorded.getTime());
      fromWorker.push(receivedAt - event.at.getTime());
    }
    const live = recordedEvents.filter(({ recorded }) => recorded.getTime() > since);
    const seconds = (Math.max(...live.map(({ recorded }) => recorded.getTime())) - since) / 1000;
    const missing = live.length * EACH - fromRecord.length;
    const latency = seriesOf(fromRecord);
    return {
      figures: [
        atMost('event recorded to subscriber, p99', latency.p99, 100, 'ms'),
        plain('the same, p50', latency.p50, 'ms'),
        plain('event made by the worker to subscriber, p99', seriesOf(fromWorker).p99, 'ms'),
        plain('messages to subscribers', round(fromRecord.length / seconds, 0), '/s'),
        atMost('messages that did not come', missing, 0, ''),
      ],
      raw: {
        subscribers: RUNS * EACH,
        runs: RUNS,
        events: live.length,
        seconds,
        fromRecord: latency,
        fromWorker: seriesOf(fromWorker),
      },
    };
  } finally {
    readers.disconnect();
    await installation.stop();
  }
};
