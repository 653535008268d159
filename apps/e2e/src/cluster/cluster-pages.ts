import type { ClusterInstallation } from './cluster-installation.ts';
import { restrictedPod } from './restricted-pod.ts';

const labels = { 'suite-part': 'page' };
const PORT = 7190;

/** Value of `egress.allow` with which the workers of a fleet reach these pages. */
export const toPages = { to: [{ podSelector: { matchLabels: labels } }], ports: [{ port: PORT }] };

/** Allocates another 16 MiB, and writes to it, as often as possible. */
const memoryExhaustingPage = `<!doctype html><title>Greedy</title><h1>Greedy</h1><script>
const all = []; setInterval(() => all.push(new Uint8Array(2 ** 24).fill(7)), 20)</script>`;

/** Shows "Open" after a request to /open. */
const gatePage = `<!doctype html><title>Gate</title><h1>Closed</h1><script>
setInterval(async () => { if (await (await fetch('/state')).text() === 'true') document.querySelector('h1').textContent = 'Open' }, 500)</script>`;

const server = (page: string) => `
let open = false;
require('http').createServer((request, answer) => {
  if (request.url === '/state') return answer.end(String(open));
  if (request.url === '/open' || request.url === '/close') return answer.end(String((open = request.url === '/open')));
  answer.setHeader('content-type', 'text/html').end(${JSON.stringify(page)});
}).listen(${PORT})`;

/**
 * Serves a page from a separate pod.
 * @returns its URL for workers
 */
async function serve(installation: ClusterInstallation, name: string, page: string): Promise<string> {
  const image = await installation.kubectl(
    'get',
    'deployment',
    `${installation.name}-api`,
    '-o',
    'jsonpath={..containers[0].image}',
  );
  await installation.apply(restrictedPod(name, labels, image, ['node', '-e', server(page)], PORT));
  await installation.kubectl('wait', `pod/${name}`, '--for=condition=Ready', '--timeout=50s');
  return `http://${await installation.kubectl('get', 'pod', name, '-o', 'jsonpath={.status.podIP}')}:${PORT}/`;
}

/**
 * A page that exhausts memory.
 * @returns its URL
 */
export const serveMemoryExhaustingPage = (installation: ClusterInstallation) =>
  serve(installation, 'greedy', memoryExhaustingPage);

/** A page at which runs wait until the gate opens. */
export class PageGate {
  readonly url: string;
  readonly #installation: ClusterInstallation;

  private constructor(installation: ClusterInstallation, url: string) {
    this.#installation = installation;
    this.url = url;
  }

  static async create(installation: ClusterInstallation): Promise<PageGate> {
    return new PageGate(installation, await serve(installation, 'gate', gatePage));
  }

  /** Releases all waiting runs, and later ones until the gate closes. */
  open(): Promise<void> {
    return this.#send('open');
  }

  close(): Promise<void> {
    return this.#send('close');
  }

  async #send(command: 'open' | 'close'): Promise<void> {
    const script = `fetch('http://127.0.0.1:${PORT}/${command}').then(() => process.exit(0))`;
    await this.#installation.kubectl('exec', 'gate', '--', 'node', '-e', script);
  }
}
