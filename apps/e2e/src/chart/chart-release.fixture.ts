import { randomBytes } from 'node:crypto';
import { until } from '../harness/poll-until.ts';
import { kubectlOutput, chart, clusterValues, helm, kubectl } from './chart-tools.fixture.ts';

/** A namespace that enforces Pod Security `restricted`; deleted at the end. */
export class TestNamespace {
  readonly name = `chart-${randomBytes(4).toString('hex')}`;

  static async create(): Promise<TestNamespace> {
    const namespace = new TestNamespace();
    await kubectlOutput('create', 'namespace', namespace.name);
    await kubectlOutput('label', 'namespace', namespace.name, 'pod-security.kubernetes.io/enforce=restricted');
    return namespace;
  }

  /** Runs `kubectl` in this namespace; throws its output when it fails. */
  kubectl(...args: string[]): Promise<string> {
    return kubectlOutput('-n', this.name, ...args);
  }

  apply(object: object) {
    return kubectl(['-n', this.name, 'apply', '-f', '-'], { input: JSON.stringify(object) });
  }

  /** Names of the objects of a kind that belong to the release. */
  async names(kind: string, release = 'installation'): Promise<string[]> {
    const output = await this.kubectl('get', kind, '-l', `app.kubernetes.io/instance=${release}`, '-o', 'name');
    return output.split('\n').filter(Boolean).sort();
  }

  async helm(ms: number, ...args: string[]): Promise<string> {
    const { ok, text } = await helm([...args, '-n', this.name], ms);
    if (!ok) throw new Error(`helm ${args.join(' ')}: ${text}`);
    return text;
  }

  /** Installs or upgrades the release `installation` and waits for its stores, its API and its controller. */
  async install(verb: 'install' | 'upgrade', ...args: string[]): Promise<string> {
    const output = await this.helm(60_000, verb, 'installation', chart, ...clusterValues(), ...args);
    const stores = ['postgresql', 'redis', 'objects'].map((name) => `statefulset/installation-${name}`);
    for (const part of [...stores, 'deployment/installation-api', 'deployment/installation-fleet'])
      await kubectl(['-n', this.name, 'rollout', 'status', part, '--timeout=240s'], { ms: 250_000 });
    return output;
  }

  /** A secret of the release, decoded. */
  async secret(name: string, key: string): Promise<string> {
    const text = await this.kubectl('get', 'secret', name, '-o', `jsonpath={.data.${key.replaceAll('.', '\\.')}}`);
    return Buffer.from(text, 'base64').toString();
  }

  /** Starts a pod with the server image and these labels that listens on 8080; returns its IP. */
  async probe(name: string, labels: Record<string, string>): Promise<string> {
    const image = await this.kubectl('get', 'deployment', 'installation-api', '-o', 'jsonpath={..containers[0].image}');
    const script = 'require("http").createServer((q, a) => a.end("here")).listen(8080)';
    const { ok, text } = await this.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, labels },
      spec: {
        automountServiceAccountToken: false,
        terminationGracePeriodSeconds: 0,
        securityContext: { runAsNonRoot: true, runAsUser: 10_001, seccompProfile: { type: 'RuntimeDefault' } },
        containers: [
          {
            name: 'probe',
            image,
            imagePullPolicy: 'IfNotPresent',
            args: ['node', '-e', script],
            readinessProbe: { httpGet: { port: 8080 }, periodSeconds: 1 },
            securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
          },
        ],
      },
    });
    if (!ok) throw new Error(text);
    await this.kubectl('wait', `pod/${name}`, '--for=condition=Ready', '--timeout=60s');
    return await this.kubectl('get', 'pod', name, '-o', 'jsonpath={.status.podIP}');
  }

  /** Tests whether a pod can open a TCP connection; retries until the network gives the expected result. */
  async reaches(pod: string, host: string, port: number, expected: boolean): Promise<boolean> {
    const script = `const s=require('net').connect(${port},'${host}');const end=(w)=>{console.log(w);process.exit()};
      s.on('connect',()=>end('open')).on('error',()=>end('closed'));setTimeout(()=>end('closed'),2500)`;
    let open = !expected;
    await until(
      `${pod} ${expected ? 'reaches' : 'does not reach'} ${host}:${port}`,
      async () => {
        open = (await this.kubectl('exec', pod, '--', 'node', '-e', script)) === 'open';
        return open === expected;
      },
      30_000,
    ).catch(() => undefined);
    return open;
  }

  async end(): Promise<void> {
    await helm(['uninstall', 'installation', '-n', this.name, '--ignore-not-found']);
    await kubectl(['delete', 'namespace', this.name, '--wait=false']);
  }
}
