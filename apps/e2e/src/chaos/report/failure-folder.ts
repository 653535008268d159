import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CaseResult, Evidence } from '../case-runner.ts';

/** Number of events of a run in the progress line of a failure, for environments that discard files. */
const LAST_EVENTS = 12;

/** One progress line. */
export function lineOf(result: CaseResult, position: number, total: string): string {
  const { index, system, variation, surface, ends, takeovers, fired, violations, evidence, ms } = result;
  const description = [faultTitle(result), variation, surface === 'browser' ? 'browser' : '']
    .filter((part) => part !== '')
    .join(', ');
  const outcome = Object.entries(ends).map(([status, count]) => `${count} ${status}`);
  const facts = [
    ...outcome,
    ...(takeovers > 0 ? [`${takeovers} taken over`] : []),
    ...(fired.length > 0 ? [`broke ${fired.length}×`] : []),
  ];
  const head = `${violations.length === 0 ? 'ok    ' : 'FAILED'} ${String(position).padStart(4)}/${total} ${system} case ${index}: ${description}`;
  const wrong = violations.slice(0, 8).map(({ invariant, sentence }) => `      ${invariant}: ${sentence}`);
  const lastEvents = Object.values(evidence).slice(0, 3).map(lastEventsOf);
  return [`${head}: ${facts.join(', ')}; ${(ms / 1000).toFixed(1)} s`, ...wrong, ...lastEvents].join('\n');
}

/** Name of the executed fault, and of the planned one when it differs. */
export const faultTitle = ({ fault, substitute }: Pick<CaseResult, 'fault' | 'substitute'>): string =>
  substitute === null ? fault : `${fault}, run as ${substitute}`;

/** Status of a run and its last events: attempt, type, and seconds before the last event. */
function lastEventsOf({ run, events }: Evidence): string {
  const end = events.at(-1)?.durableAt ?? 0;
  const last = events.slice(-LAST_EVENTS).map(({ epoch, type, durableAt }) => {
    const ago = ((end - durableAt) / 1000).toFixed(1);
    return `${epoch}:${type} -${ago}`;
  });
  return `      ${run.id}: ${run.status}, attempt ${run.epoch}${run.hasLease ? ', has a lease' : ''}; ${last.join(', ')}`;
}

/**
 * Writes failures with the logs of their processes.
 * @returns the path of the JSON file
 */
export async function writeFailures(dir: string, seed: string, results: readonly CaseResult[]): Promise<string> {
  await mkdir(dir, { recursive: true });
  const failed = results.filter(({ violations }) => violations.length > 0);
  const written = await Promise.all(
    failed.map(async ({ logs, evidence, ...result }) => {
      const files = await Promise.all(
        Object.entries(logs).map(async ([name, lines]) => {
          const file = join(dir, `case-${result.index}-${name.replaceAll(/[^\w.-]/g, '-')}.log`);
          await writeFile(file, `${lines.join('\n')}\n`);
          return file;
        }),
      );
      const runs = await Promise.all(
        Object.entries(evidence).map(async ([run, runEvidence]) => {
          const file = join(dir, `case-${result.index}-run-${run}.json`);
          await writeFile(file, `${JSON.stringify(runEvidence, null, 1)}\n`);
          return file;
        }),
      );
      return { seed, repeat: `--seed ${seed} --case ${result.index}`, ...result, runs, logs: files };
    }),
  );
  const file = join(dir, 'failures.json');
  await writeFile(file, `${JSON.stringify(written, null, 2)}\n`);
  return file;
}
