import type { ClusterInstallation } from './cluster-installation.ts';

const PORT = 16443;
const CONTROL = 16444;
/** A host name that is in every API server's certificate. */
const HOST = 'kubernetes.default.svc';

/** Forwards connections to the API server. While it is blocked, no data passes and connections stay open. */
const PROXY_SCRIPT = `
const net = require('net'), http = require('http');
const all = new Set(); let isBlocked = false;
net.createServer((near) => {
  const far = net.connect(+process.env.KUBERNETES_PORT_443_TCP_PORT, process.env.KUBERNETES_PORT_443_TCP_ADDR);
  for (const [from, to] of [[near, far], [far, near]]) {
    all.add(from);
    from.on('data', (data) => to.write(data)).on('error', () => {}).on('close', () => { all.delete(from); to.destroy(); });
    if (isBlocked) from.pause();
  }
}).listen(${PORT}, '127.0.0.1');
http.createServer((request, answer) => {
  isBlocked = request.url === '/block';
  for (const socket of all) if (isBlocked) socket.pause(); else socket.destroy();
  answer.end();
}).listen(${CONTROL}, '127.0.0.1');`;

/**
 * Connects the controller to the Kubernetes API through a sidecar. The API can then be unavailable for the controller
 * alone.
 */
export class KubeApiProxy {
  readonly #installation: ClusterInstallation;

  private constructor(installation: ClusterInstallation) {
    this.#installation = installation;
  }

  /** Installs the proxy; this replaces the controller pod. */
  static async install(installation: ClusterInstallation): Promise<KubeApiProxy> {
    const deployment = `deployment/${installation.name}-fleet`;
    const [fleet] = JSON.parse(
      await installation.kubectl('get', deployment, '-o', 'jsonpath={.spec.template.spec.containers}'),
    ) as { image: string; imagePullPolicy: string; securityContext: object }[];
    if (!fleet) throw new Error('The controller has no container');
    const { image, imagePullPolicy, securityContext } = fleet;
    const proxy = { name: 'wire', image, imagePullPolicy, securityContext, args: ['node', '-e', PROXY_SCRIPT] };
    const env = [
      { name: 'KUBERNETES_SERVICE_HOST', value: HOST },
      { name: 'KUBERNETES_SERVICE_PORT', value: String(PORT) },
    ];
    const spec = { hostAliases: [{ ip: '127.0.0.1', hostnames: [HOST] }], containers: [{ name: 'fleet', env }, proxy] };
    await installation.kubectl('patch', deployment, '--patch', JSON.stringify({ spec: { template: { spec } } }));
    await installation.waitForRollout(deployment);
    return new KubeApiProxy(installation);
  }

  /** Blocks all data from now on. */
  async block(): Promise<void> {
    await this.#send('block');
  }

  /** Resets blocked connections, and accepts new ones. */
  async unblock(): Promise<void> {
    await this.#send('reset');
  }

  async #send(command: 'block' | 'reset'): Promise<void> {
    const script = `fetch('http://127.0.0.1:${CONTROL}/${command}').then(() => process.exit(0))`;
    await this.#installation.kubectl(
      'exec',
      `deployment/${this.#installation.name}-fleet`,
      '-c',
      'wire',
      '--',
      'node',
      '-e',
      script,
    );
  }
}
