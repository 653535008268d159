/**
 * The chaos suite: whole systems, and everything in them broken on purpose, again and again, by a seed.
 *
 *   node apps/e2e/src/chaos/chaos-cli.ts                      a whole deck of cases
 *   node apps/e2e/src/chaos/chaos-cli.ts --soak 60            cases without end, for an hour
 *   node apps/e2e/src/chaos/chaos-cli.ts --seed 7 --case 12   one case again
 *   Ctrl-C ends it after the cases under way; a second one at once.
 *   --cases N, --minutes M (default 18), --systems H, --fitting REGEXP, --out FOLDER (logs of what failed), --json (results)
 *
 * The workspace's packages hold more TypeScript than Node runs by itself, so this starts Node once more and lets it.
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
// A terminal tells Ctrl-C to both.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => child.kill('SIGTERM'));
const [code] = (await once(child, 'exit')) as [number | null];
process.exitCode = code ?? 1;
