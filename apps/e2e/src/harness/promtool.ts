import { spawn, spawnSync } from 'node:child_process';

/** True when promtool is installed (Debian: package `prometheus`). */
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

/** A test that needs promtool; omitted when it is missing, which scripts/test reports. */
export const testWithPromtool = (name: string, body: () => Promise<void>): void => {
  if (hasPromtool) test(name, body);
};

/** Runs promtool. @returns its output, and its exit code: 0 without a problem */
export async function promtool(args: readonly string[], input = ''): Promise<{ code: number | null; output: string }> {
  const child = spawn('promtool', args, { signal: AbortSignal.timeout(60_000) });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
  const code = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  child.stdin.end(input);
  return { code: await code, output };
}
