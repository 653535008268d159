import { runEventSchema } from '@pilothouse/contract/events/event-log.schema';
import { NetworkGate } from './chaos/system/network-gate.ts';
import { Client } from './harness/stack-client.ts';
import { gapsIn } from './harness/event-sequence.ts';
import type { Program } from './harness/child-program.ts';
import { Stack } from './harness/stack.ts';
import { until } from './harness/poll-until.ts';

const RUNS = 3;
const ROUNDS = 40;

/** Timeout of all runs on a busy machine, in milliseconds. */
const READING_MS = 300_000;

describe('a killed API replica', () => {
  let stack: Stack;
  let gate: NetworkGate | undefined;
  beforeEach(async () => {
    // Longer than the default, with which a worker on a busy machine may lose a lease although its gateway is available. The
    // recovery time is measured by `bench takeover`.
    stack = await Stack.start({ workers: 0, api: { PILOTHOUSE_LEASE_MS: '20000' } });
  });
  afterEach(async () => {
    await stack?.stop();
    await gate?.close();
  });

  /** Opens pages for some seconds, with continuous events. */
  const pages = (run: number) => ({
    steps: [
      {
        id: 'pages',
        action: 'forEach',
        in: Array.from({ length: ROUNDS }, (_, round) => round),
        as: 'round',
        steps: [
          { action: 'navigate', url: `${stack.site.url}/public/widgets?n=${run}-{{vars.round}}` },
          { id: 'title', action: 'extract', target: { role: 'heading', name: 'Widget gallery' }, value: {} },
        ],
        collect: '{{steps.title.value}}',
      },
    ],
  });

  /** Reads the events of a run to its end. @returns their numbers, in order of arrival */
  const follow = (client: Client, run: string) => {
    const sequence: number[] = [];
    const signal = AbortSignal.timeout(READING_MS);
    const finished = (async () => {
      for await (const { event, data } of client.stream(run, { signal }))
        if (event === 'message') sequence.push(runEventSchema.parse(JSON.parse(data)).seq);
    })();
    // The rejection is handled where `finished` is awaited.
    finished.catch(() => undefined);
    return { sequence, finished };
  };

  const welcomes = ({ lines }: Program) => lines.filter((line) => line.includes('gateway session opened')).length;

  test('costs no run its worker: all continue at another replica, and each event is delivered once', async () => {
    // The first replica sweeps leases; the last one survives.
    const [first, second, last] = [stack.client.url, await stack.addReplica(), await stack.addReplica()];
    const client = new Client(last, stack.secrets.adminKey);
    const [beside] = stack.replicas;
    if (!beside) throw new Error('There is no second replica');
    gate = await NetworkGate.open(() => [second, first, last].map((url) => Number(new URL(url).port)));
    const worker = await stack.addWorker({ PILOTHOUSE_GATEWAY_URL: `ws://127.0.0.1:${gate.port}/v1/gateway` });

    const runs = await Promise.all(Array.from({ length: RUNS }, (_, n) => client.submit(pages(n))));
    const readers = runs.map(({ id }) => follow(client, id));
    for (const replica of [beside, stack.api]) {
      const [sequenceLengths, welcomesBefore] = [readers.map(({ sequence }) => sequence.length), welcomes(worker)];
      // In the middle of all runs.
      await until('all runs go on', () =>
        readers.every(({ sequence }, n) => sequence.length > (sequenceLengths[n] ?? 0) + 4),
      );
      const now = await Promise.all(runs.map(({ id }) => client.run(id)));
      expect(now.map(({ status }) => status)).toEqual(runs.map(() => 'running'));
      await replica.kill();
      await until('the worker is welcomed elsewhere', () => welcomes(worker) > welcomesBefore);
    }

    const runViews = await Promise.all(runs.map(({ id }) => client.waitForEnd(id)));
    expect(runViews.map(({ status, attempts, epoch }) => ({ status, attempts, epoch }))).toEqual(
      runs.map(() => ({ status: 'completed', attempts: 1, epoch: 1 })),
    );
    for (const [n, { id }] of runs.entries()) {
      const events = await client.events(id);
      expect(gapsIn(events)).toEqual([]);
      await readers[n]?.finished;
      expect(readers[n]?.sequence).toEqual(events.map(({ seq }) => seq));
      const pathsOf = (type: string) => events.filter((event) => event.type === type).map(({ data }) => data['path']);
      const rounds = Array.from({ length: ROUNDS }, (_, round) => [
        `pages[${round + 1}]/1`,
        `pages[${round + 1}]/title`,
      ]).flat();
      expect(pathsOf('step.started')).toEqual(rounds);
      expect(pathsOf('step.completed')).toEqual(rounds);
    }
    // The gallery has a frame, which counts as a visit.
    const visits = (await stack.site.ledger('visit')).filter(({ path }) => !path.includes('frame'));
    expect(visits).toHaveLength(RUNS * ROUNDS);
  });
});
