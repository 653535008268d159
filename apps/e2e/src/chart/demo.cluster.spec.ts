import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runViewSchema } from '@pilothouse/contract/run/run.schema';
import { parseWorkflow } from '@pilothouse/core/workflow/parse-workflow';
import { DEMO_ACCOUNT } from '@pilothouse/testing/demo-site/data/accounts.data';
import { root } from '../harness/bundles.ts';
import { gapsIn } from '../harness/event-sequence.ts';
import { until } from '../harness/poll-until.ts';
import { ReconnectingClient } from '../cluster/reconnecting-client.ts';
import { PortForward } from '../cluster/port-forward.ts';
import { TestNamespace } from './chart-release.fixture.ts';
import { curl } from './chart-tools.fixture.ts';

/*
 * Follows the first steps of a user. Installs the chart with the demo site, opens a port-forward, and submits the demo
 * workflow with curl. A worker pod executes the run, and the site has one order. The images come from the S3 server and
 * its volume. Without the server they are unavailable; after its return they are the same.
 */
const MINUTES = 60_000;
const examples = join(root, 'docs/examples');

describe('the demo workflow on a cluster', () => {
  let testNamespace: TestNamespace;
  let api: PortForward;
  let site: PortForward;
  beforeAll(async () => {
    testNamespace = await TestNamespace.create();
    api = await PortForward.open(testNamespace.name, 'installation-api', 7100);
    site = await PortForward.open(testNamespace.name, 'installation-demo', 7180);
    await testNamespace.install(
      'install',
      '--set',
      `demo.enabled=true,keepDataOnUninstall=false,api.publicUrl=${api.url}`,
    );
    await testNamespace.kubectl('rollout', 'status', 'deployment/installation-demo', '--timeout=50s');
  }, 6 * MINUTES);
  afterAll(async () => {
    await api?.close();
    await site?.close();
    await testNamespace?.end();
  }, 2 * MINUTES);

  test(
    'is submitted by curl, executed in a pod, and stores its screenshots in the S3 server',
    async () => {
      const key = await testNamespace.secret('installation-keys', 'admin-key');
      const client = new ReconnectingClient(api, key);
      await client.json('/v1/fleets');
      const file = join(examples, 'harbour-order.yaml');
      const paper = await readFile(join(examples, 'purchase-order.pdf'));
      const { id: purchase_order } = await client.upload('order.pdf', 'application/pdf', paper);
      const definition = parseWorkflow(await readFile(file, 'utf8'), { file });
      const inputs = { site_url: 'http://installation-demo:7180', password: DEMO_ACCOUNT.password, purchase_order };
      const headers = ['-H', `Authorization: Bearer ${key}`, '-H', 'Content-Type: application/json'];
      const response = await curl(
        [...headers, '-d', '@-', `${api.url}/v1/runs`],
        JSON.stringify({ definition, inputs }),
      );
      const { id } = runViewSchema.parse(JSON.parse(response));

      const run = await client.waitForEnd(id, 3 * MINUTES);
      expect(run).toMatchObject({ status: 'completed', epoch: 1, output: { order: 'HS-1001', total: 585 } });
      const pods = await testNamespace.kubectl('get', 'pods', '-l', 'app.kubernetes.io/component=worker', '-o', 'name');
      expect(pods.split('\n')).toContain(`pod/${run.worker}`);
      expect(gapsIn(await client.events(id))).toEqual([]);
      const { entries } = JSON.parse(await curl([`${site.url}/__ledger?kind=order`])) as { entries: unknown[] };
      expect(entries).toHaveLength(1);

      const screenshots = (await client.artifacts(id)).filter(({ kind }) => kind === 'screenshot');
      expect(screenshots).toHaveLength(4);
      const fetched = () =>
        Promise.all(
          screenshots.map(async ({ url }) => {
            const answer = await fetch(url, { signal: AbortSignal.timeout(10_000) });
            return answer.ok ? Buffer.from(await answer.arrayBuffer()).toString('base64') : null;
          }),
        ).catch(() => null);
      const initialScreenshots = await fetched();
      expect(initialScreenshots?.map((screenshot) => screenshot?.startsWith('/9j/'))).toEqual([true, true, true, true]);

      await testNamespace.kubectl('scale', 'statefulset/installation-objects', '--replicas=0');
      await testNamespace.kubectl('wait', 'pod/installation-objects-0', '--for=delete', '--timeout=55s');
      expect((await fetched())?.every((screenshot) => screenshot === null) ?? true).toBe(true);
      await testNamespace.kubectl('scale', 'statefulset/installation-objects', '--replicas=1');
      const back = async () => {
        const screenshots = await fetched();
        return screenshots?.every((screenshot) => screenshot !== null) && screenshots;
      };
      expect(await until('the screenshots are back', back, 2 * MINUTES, 1_000)).toEqual(initialScreenshots);
    },
    8 * MINUTES,
  );
});
