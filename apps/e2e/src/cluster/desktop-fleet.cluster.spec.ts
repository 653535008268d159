/*
 * Tests that a fleet of desktops scales from zero beyond one pod, and back to zero. Five runs write a text in an editor at the same time, each
 * on its own desktop. All runs end once, with their own text. Afterwards no worker pod is left, and none was deleted while it worked. Needs
 * an image of the desktop worker with Mousepad. Reports the time from the submission to the first action.
 */
import { terminalEvents } from '@pilothouse/contract/events/event-log.schema';
import { until } from '../harness/poll-until.ts';
import { ClusterInstallation } from './cluster-installation.ts';
import { untilFirstAction } from './cluster-invariants.ts';
import { MINUTES, useClusterInstallation } from './cluster-scene.fixture.ts';

const MAX_WORKERS = 3;
const RUNS = 5;

/** A run that types a text, keeps its desktop for a while, and copies the text. */
const editorRun = (text: string): object => ({
  fleet: 'desktops',
  definition: {
    name: 'editor',
    surface: 'desktop',
    timeout: 240,
    steps: [
      { action: 'openApp', app: 'org.xfce.mousepad', timeout: 90 },
      { action: 'type', text, timeout: 60 },
      // Keeps its slot, so that the fleet has to start more pods.
      { action: 'wait', seconds: 20 },
      { action: 'press', key: 'Control+A' },
      { action: 'press', key: 'Control+C' },
      { action: 'readClipboard', id: 'copied' },
    ],
    output: '{{steps.copied.value}}',
  },
});

describe('a fleet of desktops', () => {
  const scene = useClusterInstallation(() =>
    ClusterInstallation.install({
      fleets: {
        desktops: {
          surface: 'desktop',
          slotsPerWorker: 1,
          minWorkers: 0,
          maxWorkers: MAX_WORKERS,
          idleSlots: 0,
          cooldownSeconds: 6,
          resources: { requests: { cpu: '100m', memory: '384Mi' }, limits: { memory: '2Gi' } },
        },
      },
    }),
  );

  test(
    'scales beyond one pod for simultaneous runs, and to zero again',
    () =>
      scene.installation.withDiagnostics(async () => {
        const { installation, watch } = scene;
        const { client } = installation;
        expect(await installation.workers('desktops')).toEqual([]);
        const texts = Array.from({ length: RUNS }, (_, index) => `Desktop ${index + 1}: Grüße ✓`);
        const submitted = await Promise.all(texts.map((text) => client.submit(editorRun(text))));
        await Promise.all(submitted.map(({ id }) => client.waitForEnd(id, 6 * MINUTES)));
        const hasNoWorkers = async () => (await installation.workers('desktops')).length === 0;
        await until('no worker pod is left', hasNoWorkers, 2 * MINUTES, 500);

        const ended = await Promise.all(
          submitted.map(async ({ id }) => ({ run: await client.run(id), events: await client.events(id), orders: 0 })),
        );
        expect(ended.map(({ run }) => [run.status, run.output, run.epoch])).toEqual(
          texts.map((text) => ['completed', text, 1]),
        );
        for (const { events } of ended) expect(events.filter(({ type }) => terminalEvents.has(type))).toHaveLength(1);
        const { waiting, running, workers, conditions } = await installation.fleet('desktops');
        expect({ waiting, running, workers }).toEqual({ waiting: 0, running: 0, workers: [] });
        // Nodes without user namespaces enforce the egress rules of desktop programs by settings only.
        const problems = conditions.filter(({ reason }) => reason !== 'EgressNotEnforced');
        expect(problems).toEqual([]);

        const usedWorkers = new Set(ended.map(({ run }) => run.worker));
        expect(usedWorkers.size).toBeGreaterThan(1);
        const pods = watch.all.filter(({ labels }) => labels['pilothouse.dev/fleet'] === 'desktops');
        expect(pods.map(({ name }) => name)).toEqual(expect.arrayContaining([...usedWorkers]));
        expect(pods.length).toBeLessThanOrEqual(MAX_WORKERS);
        for (const pod of pods) expect(pod).toMatchObject({ wasDeletedAlive: false, exitCode: 0, isGone: true });

        const times = ended.map(untilFirstAction).sort((first, second) => first - second);
        const seconds = (ms = NaN) => `${(ms / 1000).toFixed(1)} s`;
        console.info(
          `desktops: submit → first action ${seconds(times[0])} to ${seconds(times.at(-1))}; ${usedWorkers.size} workers for ${RUNS} runs`,
        );
      }),
    10 * MINUTES,
  );
});
