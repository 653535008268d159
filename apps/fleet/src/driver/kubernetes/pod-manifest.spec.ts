import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import { podManifest } from './pod-manifest.ts';
import { PodTemplateFolder } from './pod-template-folder.ts';

const owner = { metadata: { name: 'pilothouse', uid: 'u-1', resourceVersion: '1', creationTimestamp: '' } };

const template = `
metadata:
  labels: {app.kubernetes.io/instance: pilothouse, app.kubernetes.io/component: other}
  annotations: {example.com/kept: "yes"}
spec:
  restartPolicy: Always
  nodeSelector: {disk: fast}
  containers:
    - name: worker
      image: example.com/worker:1
      env: [{name: PILOTHOUSE_SLOTS, value: "2"}, {name: PILOTHOUSE_WORKER_NAME, value: other}]
      volumeMounts: [{name: tmp, mountPath: /tmp}]
    - name: beside
      image: example.com/beside:1
  volumes: [{name: tmp, emptyDir: {}}]
`;

let folder: string;
let monotonic = 0;
const clock: Clock = { now: () => new Date(0), monotonic: () => monotonic };
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fleet-spec-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('a pod is the template plus name, labels, owner, join token and eviction protection', async () => {
  await writeFile(join(folder, 'browser.yaml'), template);
  const namedTemplate = new PodTemplateFolder(folder, clock).read('browser');
  expect(podManifest(namedTemplate, 'browser', 'browser-abcd2345', owner)).toEqual({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'browser-abcd2345',
      labels: {
        'app.kubernetes.io/name': 'pilothouse',
        'app.kubernetes.io/component': 'worker',
        'app.kubernetes.io/instance': 'pilothouse',
        'pilothouse.dev/fleet': 'browser',
        'pilothouse.dev/template': namedTemplate.hash,
      },
      annotations: {
        'example.com/kept': 'yes',
        'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
        'karpenter.sh/do-not-disrupt': 'true',
      },
      ownerReferences: [
        { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', name: 'pilothouse', uid: 'u-1', controller: true },
      ],
    },
    spec: {
      restartPolicy: 'Never',
      nodeSelector: { disk: 'fast' },
      containers: [
        {
          name: 'worker',
          image: 'example.com/worker:1',
          env: [
            { name: 'PILOTHOUSE_SLOTS', value: '2' },
            { name: 'PILOTHOUSE_WORKER_NAME', value: 'browser-abcd2345' },
            { name: 'PILOTHOUSE_FLEET_TOKEN_FILE', value: '/run/pilothouse/join/token' },
          ],
          volumeMounts: [
            { name: 'tmp', mountPath: '/tmp' },
            { name: 'join-token', mountPath: '/run/pilothouse/join', readOnly: true },
          ],
        },
        // Other containers of the pod cannot read the token.
        { name: 'beside', image: 'example.com/beside:1' },
      ],
      volumes: [
        { name: 'tmp', emptyDir: {} },
        { name: 'join-token', secret: { secretName: 'browser-abcd2345', defaultMode: 0o400 } },
      ],
    },
  });
});

test('a changed template is read again, and an invalid one is reported', async () => {
  const templates = new PodTemplateFolder(folder, clock);
  expect(() => templates.read('browser')).toThrow("Fleet browser has no pod template: name it in the chart's fleets");
  const write = async (text: string) => {
    await writeFile(join(folder, 'browser.yaml'), text);
    monotonic += 1_001;
  };
  await write(template);
  const first = templates.read('browser').hash;
  await writeFile(join(folder, 'browser.yaml'), template.replace('fast', 'slow'));
  expect(templates.read('browser').hash).toBe(first);
  monotonic += 1_001;
  expect(templates.read('browser').hash).not.toBe(first);
  await write('spec: [');
  expect(() => templates.read('browser')).toThrow(/^The pod template of fleet browser cannot be used: /);
});
