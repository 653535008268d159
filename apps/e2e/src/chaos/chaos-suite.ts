import { bundleOf } from '../harness/bundles.ts';
import { Site } from '../harness/demo-site.ts';
import { runCase, type CaseResult } from './case-runner.ts';
import { LedgerReader } from './checks/site-ledger.ts';
import { ChaosSystem } from './system/system.ts';
import type { S3Server } from './system/object-store.ts';
import { selectCases, type CaseSelection } from './case-filter.ts';
import { lineOf } from './report/failure-folder.ts';

export interface SuiteOptions extends CaseSelection {
  /** Minutes after which no further case begins. */
  readonly minutes: number;
  /** Number of parallel systems. */
  readonly systems: number;
  /** For one of the systems; the others store objects in folders. */
  readonly s3: S3Server | null;
  readonly log: (line: string) => void;
  /** Returns true when the results are sufficient and no further case has to start. */
  readonly isSufficient?: (results: readonly CaseResult[]) => boolean;
  /** Stops the suite before the next case. */
  readonly signal: AbortSignal;
}

/** Maximum number of failed cases that are reported with all details. A suite may run for hours. */
const MAX_CASES_WITH_EVIDENCE = 50;

/**
 * Runs cases in parallel systems.
 * @throws Error when a system cannot be built, or does not stop cleanly
 */
export async function runSuite(options: SuiteOptions): Promise<CaseResult[]> {
  const { seed, systems: count, s3, log } = options;
  const site = await Site.start(await bundleOf('site'));
  const ledger = new LedgerReader(site.url);
  const results: CaseResult[] = [];
  const systems: ChaosSystem[] = [];
  const deadline = performance.now() + options.minutes * 60_000;
  const cases = selectCases(options, results);
  const runOn = async (system: ChaosSystem) => {
    while (performance.now() < deadline && !options.signal.aborted && !options.isSufficient?.(results)) {
      const next = cases.next();
      if (next.done) return;
      const result = await runCase(system, next.value, seed, ledger);
      const failedCount = results.filter(({ violations }) => violations.length > 0).length;
      results.push(failedCount < MAX_CASES_WITH_EVIDENCE ? result : { ...result, evidence: {}, logs: {} });
      log(lineOf(result, results.length, options.cases === Infinity ? '∞' : String(options.cases)));
    }
  };
  try {
    for (let index = 0; index < count; index += 1) {
      // In every second system each run goes through Redis, so both dispatch paths are covered equally.
      systems.push(
        await ChaosSystem.start({ name: `h${index}`, site, s3: index === 0 ? s3 : null, handOver: index % 2 === 0 }),
      );
    }
    log(`${count} systems are built; seed ${seed}`);
    await Promise.all(systems.map(runOn));
    return results;
  } finally {
    const outcomes = await Promise.allSettled([...systems.map((system) => system.stop()), site.program.stop()]);
    const failed = outcomes.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []));
    if (failed.length > 0) log(`FAILED  the end: ${failed.join('; ')}`);
    if (failed.length > 0) process.exitCode = 1;
  }
}
