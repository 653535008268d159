import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { bundleOf } from '../harness/bundles.ts';
import type { ClusterInstallation } from './cluster-installation.ts';

const BUNDLE = 'load-generator-bundle';

/** Many workers in one pod, each with a socket, a session and a run loop, with null surfaces. */
export class LoadGeneratorPod {
  readonly name: string;
  readonly #installation: ClusterInstallation;

  private constructor(installation: ClusterInstallation, name: string) {
    this.#installation = installation;
    this.name = name;
  }

  /** Starts this number of workers of a fleet; they connect gradually. */
  static async start(installation: ClusterInstallation, fleet: string, count: number): Promise<LoadGeneratorPod> {
    const name = `load-generator-${fleet}`;
    if ((await installation.kubectl('get', 'configmap', BUNDLE, '--ignore-not-found', '-o', 'name')) === '')
      await uploadBundle(installation);
    const image = await installation.kubectl(
      'get',
      'deployment',
      `${installation.name}-api`,
      '-o',
      'jsonpath={..containers[0].image}',
    );
    const tokenSecret = {
      secretName: `${installation.name}-keys`,
      items: [{ key: `fleet-${fleet}`, path: 'token' }],
      defaultMode: 0o444,
    };
    await installation.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, labels: { 'suite-part': 'load-generator' } },
      spec: {
        automountServiceAccountToken: false,
        restartPolicy: 'Never',
        terminationGracePeriodSeconds: 30,
        securityContext: { runAsNonRoot: true, runAsUser: 10_001, seccompProfile: { type: 'RuntimeDefault' } },
        containers: [
          {
            name: 'load-generator',
            image,
            imagePullPolicy: 'IfNotPresent',
            args: [
              'sh',
              '-c',
              'gzip -dc /bundle/main.js.gz >/tmp/load-generator.mjs && exec node /tmp/load-generator.mjs $0',
              String(count),
            ],
            // Without requested CPU its workers would miss their leases.
            resources: { requests: { cpu: '1', memory: '512Mi' } },
            env: [
              { name: 'PILOTHOUSE_GATEWAY_URL', value: `ws://${installation.name}-api:7100/v1/gateway` },
              { name: 'PILOTHOUSE_FLEET_TOKEN_FILE', value: '/token/token' },
              { name: 'PILOTHOUSE_WORKER_NAME', value: name },
              { name: 'PILOTHOUSE_SLOTS', value: '1' },
              { name: 'PILOTHOUSE_DRAIN_GRACE_SECONDS', value: '5' },
              { name: 'LOG_LEVEL', value: 'warn' },
            ],
            securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
            volumeMounts: [
              { name: 'bundle', mountPath: '/bundle' },
              { name: 'token', mountPath: '/token', readOnly: true },
            ],
          },
        ],
        volumes: [
          { name: 'bundle', configMap: { name: BUNDLE } },
          { name: 'token', secret: tokenSecret },
        ],
      },
    });
    return new LoadGeneratorPod(installation, name);
  }

  /** Stops all of them gracefully. */
  async stop(): Promise<void> {
    await this.#installation.kubectl('delete', 'pod', this.name, '--timeout=55s');
  }
}

/** Stores the compressed bundle in a ConfigMap, whose limit is one MiB. */
async function uploadBundle(installation: ClusterInstallation): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'load-generator-'));
  try {
    const archive = join(folder, 'main.js.gz');
    await writeFile(archive, await promisify(gzip)(await readFile(await bundleOf('load-generator'))));
    await installation.kubectl('create', 'configmap', BUNDLE, `--from-file=${archive}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
