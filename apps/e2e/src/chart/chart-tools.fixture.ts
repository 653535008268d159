import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../harness/bundles.ts';

export const chart = join(root, 'charts/pilothouse');

/** The documented examples: file names without `.yaml`. */
export const examples = readdirSync(join(chart, 'examples')).map((file) => file.replace(/\.yaml$/, ''));
export const exampleFile = (name: string) => join(chart, 'examples', `${name}.yaml`);

interface ProgramOutput {
  ok: boolean;
  /** Its output, both streams. */
  text: string;
  stdout: string;
}

const run = promisify(execFile);

/**
 * Runs a program to its end and returns any exit status.
 * @throws when the program does not exist
 */
async function runProgram(
  program: string,
  args: readonly string[],
  timeoutMs: number,
  input?: string,
): Promise<ProgramOutput> {
  const options = { timeout: timeoutMs, maxBuffer: 64 * 1024 * 1024, env: process.env };
  const running = run(program, args, options);
  running.child.stdin?.end(input ?? '');
  try {
    const { stdout, stderr } = await running;
    return { ok: true, text: stdout + stderr, stdout };
  } catch (error) {
    const failure = error as { code?: unknown; stdout?: string; stderr?: string; killed?: boolean };
    if (failure.code === 'ENOENT') throw new Error(`${program} is not on the PATH: the tests of the chart need it`);
    const timeoutNote = failure.killed ? `\n${program} took longer than ${timeoutMs / 1000} s` : '';
    return {
      ok: false,
      text: `${failure.stdout ?? ''}${failure.stderr ?? ''}${timeoutNote}`,
      stdout: failure.stdout ?? '',
    };
  }
}

/** `helm` with arguments. */
export const helm = (args: readonly string[], ms = 60_000) => runProgram('helm', args, ms);

/**
 * `helm template` of the chart as release `x`.
 * @throws the output of helm when it fails
 */
export async function render(...args: string[]): Promise<string> {
  const { ok, text, stdout } = await helm(['template', 'x', chart, ...args]);
  if (!ok) throw new Error(text);
  return stdout;
}

/** The documents of a rendering of this kind, as text. */
export const ofKind = (rendered: string, kind: string) =>
  rendered.split(/^---$/m).filter((document) => new RegExp(`^kind: ${kind}$`, 'm').test(document));

/**
 * Runs `curl`, which fails on HTTP errors; standard input is `-d @-`.
 * @throws its output when it fails
 */
export async function curl(args: readonly string[], input?: string): Promise<string> {
  const { ok, text, stdout } = await runProgram(
    'curl',
    ['--silent', '--show-error', '--fail-with-body', ...args],
    60_000,
    input,
  );
  if (!ok) throw new Error(`curl: ${text}`);
  return stdout;
}

/**
 * Runs `kubectl` on the cluster of KUBECONFIG.
 * @throws when KUBECONFIG is not set
 */
export function kubectl(
  args: readonly string[],
  options: { input?: string; ms?: number } = {},
): Promise<ProgramOutput> {
  if (!process.env.KUBECONFIG) throw new Error('KUBECONFIG is not set: these tests need a cluster');
  return runProgram('kubectl', args, options.ms ?? 60_000, options.input);
}

/**
 * Output of `kubectl`.
 * @throws its output when it fails
 */
export async function kubectlOutput(...args: string[]): Promise<string> {
  const { ok, text, stdout } = await kubectl(args);
  if (!ok) throw new Error(`kubectl ${args.join(' ')}: ${text}`);
  return stdout.trim();
}

/** Arguments of helm with the values of this cluster: images and pull policy (file in PILOTHOUSE_CHART_VALUES). */
export function clusterValues(): string[] {
  const file = process.env.PILOTHOUSE_CHART_VALUES;
  return file ? ['-f', file] : [];
}
