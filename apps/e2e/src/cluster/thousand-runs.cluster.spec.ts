/*
 * Tests a thousand runs, pods and workers. A thousand runs wait for a fleet whose pods cannot be scheduled. Meanwhile a
 * thousand workers of another fleet are connected (socket, session, renewals, run loop), many per process, with null
 * surfaces. The controller creates a pod for each run, decides within 100 ms, needs less than 300 MiB, and sends few
 * requests while nothing changes.
 * Then a thousand workers connect to that fleet. Each run ends once, without gaps, and idle pods are removed. Timeouts
 * are generous for two shared cores. A decision is measured in CPU time.
 */
import { MetricsScrape } from '../harness/scrape-metrics.ts';
import { until } from '../harness/poll-until.ts';
import { LoadGeneratorPod } from './simulated-workers.ts';
import { ClusterInstallation } from './cluster-installation.ts';
import { MINUTES, useClusterInstallation } from './cluster-scene.fixture.ts';

const RUN_COUNT = 1_000;
/** Concurrent submissions. */
const LANES = 8;
const MIB = 2 ** 20;
/** Resources of API and database for a thousand workers (docs/operations/sizing.md). With less they would miss their leases. */
const RESOURCES = { requests: { cpu: '500m', memory: '512Mi' } };
const run = {
  fleet: 'stuck',
  definition: {
    name: 'walk',
    timeout: 3_000,
    steps: Array.from({ length: 3 }, (_, n) => ({ action: 'navigate', url: `https://example.com/${n}` })),
  },
};

describe('an installation with a thousand runs, pods and workers', () => {
  const scene = useClusterInstallation(() =>
    ClusterInstallation.install({
      'api.resources': RESOURCES,
      'database.bundled.resources': RESOURCES,
      fleets: {
        browser: null,
        'load-generator': {
          ...{ slotsPerWorker: 1, minWorkers: 0, maxWorkers: 1, idleSlots: 0 },
          externalWorkers: true,
        },
        stuck: {
          externalWorkers: true,
          slotsPerWorker: 1,
          minWorkers: 0,
          maxWorkers: RUN_COUNT,
          idleSlots: 0,
          cooldownSeconds: 5,
          nodeSelector: { 'pilothouse.dev/suite': 'no-such-node' },
        },
      },
    }),
  );
  let loadGenerator: LoadGeneratorPod;

  const scrape = async () => new MetricsScrape(await scene.installation.scrape());
  const decisionsOf = (metrics: MetricsScrape, maxSeconds?: string) =>
    maxSeconds === undefined
      ? metrics.value('pilothouse_fleet_decide_seconds_count', { fleet: 'stuck' })
      : metrics.value('pilothouse_fleet_decide_seconds_bucket', { fleet: 'stuck', le: maxSeconds });
  const requests = (metrics: MetricsScrape, verb?: string) =>
    metrics.series
      .filter((series) => series.startsWith('pilothouse_fleet_kube_requests_total{'))
      .flatMap((series) => /verb="(\w+)"/.exec(series)?.[1] ?? [])
      .filter((name) => verb === undefined || name === verb)
      .reduce((sum, name) => sum + (metrics.value('pilothouse_fleet_kube_requests_total', { verb: name }) ?? 0), 0);
  const memory = (metrics: MetricsScrape) => (metrics.value('process_resident_memory_bytes') ?? Infinity) / MIB;

  /** Result of a query with one row. */
  async function row(sql: string): Promise<Record<string, unknown>> {
    const script = 'PGPASSWORD=$POSTGRES_PASSWORD psql -h 127.0.0.1 -U pilothouse -d pilothouse -Atc "$0"';
    const question = `SELECT row_to_json(x) FROM (${sql}) x`;
    const text = await scene.installation.kubectl(
      'exec',
      `${scene.installation.name}-postgresql-0`,
      '--',
      'sh',
      '-c',
      script,
      question,
    );
    return JSON.parse(text) as Record<string, unknown>;
  }

  const ready = async (fleet: string) => {
    const workers = `SELECT count(*)::int AS count FROM worker w JOIN fleet f ON f.id = w.fleet_id`;
    const { count } = await row(`${workers} WHERE w.state = 'ready' AND f.name = '${fleet}'`);
    return count as number;
  };

  test(
    'decides quickly, in little memory, with few requests to the Kubernetes API',
    () =>
      scene.installation.withDiagnostics(async () => {
        const { installation, watch } = scene;
        const startedAt = performance.now();
        const elapsed = () => `${((performance.now() - startedAt) / 1000).toFixed(0)} s`;
        loadGenerator = await LoadGeneratorPod.start(installation, 'load-generator', RUN_COUNT);
        await until(
          'a thousand workers are on the gateway',
          async () => (await ready('load-generator')) === RUN_COUNT,
          4 * MINUTES,
          2_000,
        );
        const connectedAfter = elapsed();

        let submitted = 0;
        const submitInSequence = async () => {
          while (submitted < RUN_COUNT) {
            submitted += 1;
            await installation.client.submit(run);
          }
        };
        await Promise.all(Array.from({ length: LANES }, submitInSequence));
        const queuedAfter = elapsed();
        // Batches of ten seconds with a backoff of up to a minute; a busy machine needs more of them.
        await until('each run has a pod', () => watch.alive.length >= RUN_COUNT, 8 * MINUTES, 500);
        const createdAfter = elapsed();
        await until(
          'the fleet says why none of them starts',
          async () => (await installation.fleet('stuck')).conditions.some(({ reason }) => reason === 'Unschedulable'),
          MINUTES,
          1_000,
        );

        const firstScrape = await scrape();
        const minuteStart = performance.now();
        await until('a minute is over', () => performance.now() - minuteStart > MINUTES, 2 * MINUTES, 1_000);
        const lastScrape = await scrape();
        const minutes = (performance.now() - minuteStart) / MINUTES;
        const perMinute = (requests(lastScrape) - requests(firstScrape)) / minutes;
        const decisionCount = (decisionsOf(lastScrape) ?? 0) - (decisionsOf(firstScrape) ?? 0);
        console.info(
          `${RUN_COUNT} workers on the gateway after ${connectedAfter}, ${RUN_COUNT} runs queued after ${queuedAfter}, ${RUN_COUNT} pods made after ${createdAfter} with ${requests(lastScrape, 'create')} creations; ` +
            `then, a minute: ${decisionCount} looks, ${perMinute.toFixed(0)} requests to the Kubernetes API, controller ${memory(lastScrape).toFixed(0)} MiB; ` +
            `decide ≤ 10 ms ${decisionsOf(lastScrape, '0.01')}, ≤ 100 ms ${decisionsOf(lastScrape, '0.1')} of ${decisionsOf(lastScrape)}`,
        );
        expect(decisionCount).toBeGreaterThanOrEqual(20);
        expect(decisionsOf(lastScrape, '0.1')).toBe(decisionsOf(lastScrape));
        expect(memory(lastScrape)).toBeLessThanOrEqual(300);
        expect(perMinute).toBeLessThanOrEqual(120);
        // Never more than the maximum.
        expect(watch.all.length).toBe(RUN_COUNT);
        expect(await row(`SELECT count(*)::int AS waiting FROM run WHERE status = 'queued'`)).toEqual({
          waiting: RUN_COUNT,
        });
        expect(await ready('load-generator')).toBe(RUN_COUNT);
      }),
    17 * MINUTES,
  );

  test(
    'executes every run once and removes idle pods',
    () =>
      scene.installation.withDiagnostics(async () => {
        const { installation, watch } = scene;
        await loadGenerator.stop();
        const startedAt = performance.now();
        const elapsed = () => `${((performance.now() - startedAt) / 1000).toFixed(0)} s`;
        await LoadGeneratorPod.start(installation, 'stuck', RUN_COUNT);
        const open = `SELECT count(*)::int AS open FROM run WHERE status IN ('queued', 'running')`;
        await until('no run is left', async () => (await row(open))['open'] === 0, 5 * MINUTES, 2_000);
        const endedAfter = elapsed();
        const summary = await row(
          `SELECT count(*)::int AS runs, count(*) FILTER (WHERE status = 'completed')::int AS completed,
                  count(*) FILTER (WHERE e.events <> r.event_seq)::int AS gaps,
                  count(*) FILTER (WHERE e.ends <> 1)::int AS not_once,
                  count(*) FILTER (WHERE epoch > 1)::int AS again,
                  (SELECT string_agg(times || ' × ' || why, '; ') FROM (
                     SELECT count(*) AS times, (data->'error'->>'code') || ' ' || replace(message, data->>'worker', '') AS why
                     FROM run_event WHERE type = 'run.requeued' GROUP BY 2) w) AS why
           FROM run r JOIN (SELECT run_id, count(*) AS events,
                              count(*) FILTER (WHERE type IN ('run.completed', 'run.failed', 'run.cancelled')) AS ends
                            FROM run_event GROUP BY run_id) e ON e.run_id = r.id`,
        );
        // On a busy machine some runs are not accepted within two seconds and get another attempt.
        expect(summary).toMatchObject({ runs: RUN_COUNT, completed: RUN_COUNT, gaps: 0, not_once: 0 });
        await until('no worker pod is left', () => watch.alive.length === 0, 5 * MINUTES, 1_000);
        const removedAfter = elapsed();
        const metrics = await scrape();
        console.info(
          `${RUN_COUNT} runs ended ${endedAfter} after the workers began to come, ${String(summary['again'])} of them in more than one attempt (${String(summary['why'] ?? 'none')}); their pods had gone after ${removedAfter}; ` +
            `controller ${memory(metrics).toFixed(0)} MiB, decide ≤ 100 ms ${decisionsOf(metrics, '0.1')} of ${decisionsOf(metrics)}`,
        );
        const stops = { fleet: 'stuck', action: 'stop', reason: 'not-needed' };
        // (A stop without a timely response is not counted.)
        expect(metrics.value('pilothouse_fleet_decisions_total', stops)).toBeGreaterThanOrEqual(0.95 * RUN_COUNT);
        expect(decisionsOf(metrics, '0.1')).toBe(decisionsOf(metrics));
        expect(memory(metrics)).toBeLessThanOrEqual(300);
        const { waiting, running, conditions } = await installation.fleet('stuck');
        expect({ waiting, running }).toEqual({ waiting: 0, running: 0 });
        expect(conditions.map(({ reason }) => reason).filter((reason) => reason !== 'Unschedulable')).toEqual([]);
      }),
    14 * MINUTES,
  );
});
