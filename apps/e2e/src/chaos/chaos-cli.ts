/**
 * Runs the chaos suite: complete systems with every component broken on purpose. A seed determines the order.
 *
 *   node apps/e2e/src/chaos/chaos-cli.ts                      the full set of cases
 *   node apps/e2e/src/chaos/chaos-cli.ts --soak 60            cases without end, for an hour
 *   node apps/e2e/src/chaos/chaos-cli.ts --seed 7 --case 12   one case again
 *
 * Ctrl-C stops it after the running cases; a second one immediately. Further options: --cases N, --failpoints NAMES
 * (adds the cases of these failpoints), --minutes M (default 18), --systems H, --fitting REGEXP, --out FOLDER (logs of
 * failed cases), --json (results).
 * Starts Node again with TypeScript transformation, which the packages of the workspace need.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const child = spawn(
  process.execPath,
  [
    '--experimental-transform-types',
    '--no-warnings',
    join(import.meta.dirname, 'terminal-run.ts'),
    ...process.argv.slice(2),
  ],
  { stdio: 'inherit' },
);
// A terminal sends Ctrl-C to both processes.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => child.kill('SIGTERM'));
const [code] = (await once(child, 'exit')) as [number | null];
process.exitCode = code ?? 1;
