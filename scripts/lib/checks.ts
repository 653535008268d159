/** Static checks. One table, used by scripts/check and scripts/test. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import pLimit from 'p-limit';

const root = join(import.meta.dirname, '../..');
const bin = (name: string) => join(root, 'node_modules/.bin', name);

/** Name of a check → its command. */
const checks: Record<string, string[]> = {
  prettier: [
    bin('prettier'),
    ...['--check', '--log-level=warn', '--cache', '--cache-strategy=content'],
    ...['--cache-location', 'node_modules/.cache/prettier.json', '**/*.{ts,tsx,mjs,yml,yaml}'],
  ],
  eslint: [
    bin('eslint'),
    '--cache',
    '--cache-strategy=content',
    '--cache-location',
    'node_modules/.cache/eslint/',
    '--max-warnings=0',
    '.',
  ],
  directions: [
    bin('depcruise'),
    ...['--config', '.dependency-cruiser.mjs'],
    ...['--output-type', `plugin:${join(root, 'scripts/lib/directions-reporter.ts')}`, 'apps', 'libs'],
  ],
  types: [bin('tsc'), '-p', 'tsconfig.json'],
  audit: [process.execPath, join(root, 'scripts/lib/audit.ts')],
  // Scripts of pages have only the globals of a browser.
  'types of pages': [bin('tsc'), '-p', 'apps/console/tsconfig.json'],
  sources: [process.execPath, join(root, 'scripts/lib/source-rules.ts')],
  unused: [bin('knip'), '--no-progress', '--no-config-hints'],
  words: [
    bin('cspell'),
    ...['--no-progress', '--no-summary', '--dot', '--cache', '--cache-strategy=content'],
    ...['--cache-location', 'node_modules/.cache/cspell.json', '.'],
  ],
  prose: [process.execPath, join(root, 'scripts/lib/prose-rules.ts')],
  commits: [process.execPath, join(root, 'scripts/lib/commits.ts')],
};

/** One check that ran. */
export interface CheckResult {
  name: string;
  ok: boolean;
}

/** Checks that run at the same time. */
const MAX_CONCURRENT_CHECKS = 2;

/** Runs every check and prints one line for each, after the output of a failed one. */
export async function runChecks(): Promise<CheckResult[]> {
  const runInTurn = pLimit(MAX_CONCURRENT_CHECKS);
  const runCheck = async ([name, [command = '', ...args]]: [string, string[]]): Promise<CheckResult> => {
    const start = performance.now();
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    const [code] = await once(child, 'close');
    // A skipped audit passes and is reported.
    if (code !== 0 || name === 'audit') process.stdout.write(output);
    console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
    return { name, ok: code === 0 };
  };
  return Promise.all(Object.entries(checks).map((check) => runInTurn(runCheck, check)));
}

if (import.meta.main) {
  const failed = (await runChecks()).filter(({ ok }) => !ok);
  process.exitCode = failed.length === 0 ? 0 : 1;
}
