import { upConfig, type UpConfig } from '@pilothouse/infra-config';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findInstallation, type Installation } from '../installation/installation-paths.ts';

/**
 * Program of a fake service: it listens on its port and answers with its environment as JSON. On a stop signal it
 * appends its name to `ended.log`. With a file `<name>.broken` beside it, it fails at start.
 */
const part = (name: string, port: string) => `
import { appendFileSync, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
const root = join(import.meta.dirname, '../..');
console.log('${name} begins');
if (existsSync(join(root, '${name}.broken'))) { console.log('${name} is broken on purpose'); process.exit(1); }
const server = createServer((_, answer) => answer.end(JSON.stringify(process.env))).listen(${port}, '127.0.0.1');
process.on('SIGTERM', () => {
  appendFileSync(join(root, 'ended.log'), '${name}\\n');
  server.close();
  server.closeAllConnections();
});
`;

/** A checkout with fake services in a temporary folder, removed after the specs of the file. */
export function fakeInstallation(): Installation {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'pilothouse-up-')));
  chmodSync(root, 0o755); // PostgreSQL runs as another user if the specs run as root.
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  writeFileSync(join(root, 'package.json'), JSON.stringify({ name: 'pilothouse', type: 'module' }));
  const installation = findInstallation(undefined, root);
  const apps = {
    api: 'process.env.PILOTHOUSE_PORT',
    fleet: 'process.env.PILOTHOUSE_FLEET_PORT',
    jobs: 'process.env.PILOTHOUSE_JOBS_PORT',
    site: 'process.argv[process.argv.indexOf("--port") + 1]',
    worker: '0',
    console: 'process.env.PILOTHOUSE_CONSOLE_PORT',
  };
  for (const [name, port] of Object.entries(apps)) {
    mkdirSync(join(root, 'dist', name), { recursive: true });
    writeFileSync(installation.bundle(name), part(name, port));
  }
  return installation;
}

/** Settings of an environment with PATH only. */
export const settings = (variables: Record<string, string> = {}): UpConfig =>
  upConfig({ PATH: process.env.PATH, PILOTHOUSE_PORT: '0', ...variables });

/** Names of the stopped fake services, in order. */
export const endedIn = ({ root }: Installation) => readFileSync(join(root, 'ended.log'), 'utf8').trim().split('\n');
