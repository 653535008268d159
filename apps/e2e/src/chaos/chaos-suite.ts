import { bundleOf } from '../harness/bundles.ts';
import { Site } from '../harness/demo-site.ts';
import { carryOut, type CaseResult } from './failpoint-worker.ts';
import { LedgerReader } from './checks/site-ledger.ts';
import { House } from './system/system.ts';
import type { S3Server } from './system/object-store.ts';
import { chosen, type Choice } from './plan/case-filter.ts';
import { lineOf } from './report/failure-folder.ts';

export interface SuiteOptions extends Choice {
  /** Minutes after which no further case begins. */
  readonly minutes: number;
  /** Houses side by side. */
  readonly houses: number;
  /** For one of the houses; the others keep objects in folders. */
  readonly s3: S3Server | null;
  readonly say: (line: string) => void;
  /** Returns true when the results suffice and no further case has to begin. */
  readonly isEnough?: (results: readonly CaseResult[]) => boolean;
  /** No further case begins. */
  readonly signal: AbortSignal;
}

/** Red cases of which all is kept that is known: a suite may play for hours, and the first ones tell enough. */
const TELLING = 50;

/** Plays cases in houses side by side. @throws Error when a house cannot be built, or does not end as it should */
export async function playSuite(options: SuiteOptions): Promise<CaseResult[]> {
  const { seed, houses: count, s3, say } = options;
  const site = await Site.start(await bundleOf('site'));
  const ledger = new LedgerReader(site.url);
  const results: CaseResult[] = [];
  const houses: House[] = [];
  const deadline = performance.now() + options.minutes * 60_000;
  const cases = chosen(options, results);
  const play = async (house: House) => {
    while (performance.now() < deadline && !options.signal.aborted && !options.isEnough?.(results)) {
      const next = cases.next();
      if (next.done) return;
      const result = await carryOut(house, next.value, seed, ledger);
      const red = results.filter(({ violations }) => violations.length > 0).length;
      results.push(red < TELLING ? result : { ...result, evidence: {}, logs: {} });
      say(lineOf(result, results.length, options.cases === Infinity ? '∞' : String(options.cases)));
    }
  };
  try {
    for (let at = 0; at < count; at += 1) {
      // In every second house each run goes through Redis: both ways are broken as often.
      houses.push(await House.start({ name: `h${at}`, site, s3: at === 0 ? s3 : null, handOver: at % 2 === 0 }));
    }
    say(`${count} houses are built; seed ${seed}`);
    await Promise.all(houses.map(play));
    return results;
  } finally {
    const ended = await Promise.allSettled([...houses.map((house) => house.stop()), site.program.stop()]);
    const failed = ended.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []));
    if (failed.length > 0) say(`RED  the end: ${failed.join('; ')}`);
    if (failed.length > 0) process.exitCode = 1;
  }
}
