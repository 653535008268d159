import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { arch, availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os';
import { join } from 'node:path';
import type { BenchResult, Figure } from './bench.ts';

const root = join(import.meta.dirname, '../..');

/** The measured machine. */
async function machine() {
  const version = async (name: string) =>
    (JSON.parse(await readFile(join(root, 'node_modules', name, 'package.json'), 'utf8')) as { version: string })
      .version;
  const packages = ['bullmq', 'ioredis', 'pg', 'playwright-core', 'ws'];
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release()} ${arch()}`,
    node: process.version,
    packages: Object.fromEntries(await Promise.all(packages.map(async (name) => [name, await version(name)]))),
    commit: commit(),
    /** Load average over one minute, before the benchmark. */
    loadBefore: Number(loadavg()[0]?.toFixed(2)),
  };
}

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return 'unknown';
  }
}

export type Machine = Awaited<ReturnType<typeof machine>>;
export { machine };

/** Writes a result to `bench/results`. @returns the file */
export async function writeReport(name: string, result: BenchResult, on: Machine, date: Date): Promise<string> {
  const folder = join(root, 'bench/results');
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${name}-${date.toISOString().slice(0, 16).replaceAll(':', '')}.json`);
  await writeFile(file, `${JSON.stringify({ bench: name, at: date, machine: on, ...result }, null, 2)}\n`);
  return file;
}

/** A table for the terminal. */
export function tableOf(name: string, figures: readonly Figure[]): string {
  const rows = figures.map(({ name: figureName, value, unit, target }) => [
    figureName,
    `${value} ${unit}`.trim(),
    target?.text ?? '',
    target ? (target.isMet ? 'met' : 'MISSED') : '',
  ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd(),
  );
  return [name, ...lines].join('\n');
}
