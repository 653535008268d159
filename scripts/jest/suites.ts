/** The test suites. A spec file belongs to the suite that its suffix names, `name.<suite>.spec.ts`; without one it is a unit test. */

/** What a suite needs on the machine besides npm packages. */
export type Need = 'postgres' | 'redis' | 's3' | 'chromium';

export interface Suite {
  readonly name: string;
  readonly needs: readonly Need[];
  readonly testTimeoutMs: number;
}

/** Ends only what hangs: real servers on a busy machine are slow. */
const HANG_MS = 240_000;

export const suites: readonly Suite[] = [
  { name: 'unit', needs: [], testTimeoutMs: 5_000 },
  { name: 'process', needs: [], testTimeoutMs: HANG_MS },
  { name: 'chart', needs: [], testTimeoutMs: HANG_MS },
  { name: 'db', needs: ['postgres', 'redis', 's3'], testTimeoutMs: HANG_MS },
  { name: 'browser', needs: ['chromium'], testTimeoutMs: HANG_MS },
  { name: 'e2e', needs: ['postgres', 'redis', 's3', 'chromium'], testTimeoutMs: HANG_MS },
  { name: 'chaos', needs: ['postgres', 'redis', 's3', 'chromium'], testTimeoutMs: HANG_MS },
  { name: 'cluster', needs: [], testTimeoutMs: HANG_MS },
];

const suffixes = suites.slice(1).map(({ name }) => name);
const SUFFIX = new RegExp(`[.](${suffixes.join('|')})[.]spec[.]ts$`);

/** Returns the name of the suite that a spec file belongs to. */
export const suiteOf = (file: string): string => SUFFIX.exec(file)?.[1] ?? 'unit';

/** Returns a regular expression, as text, that matches the spec files of a suite. */
export const patternOf = (suite: string): string =>
  suite === 'unit' ? `(?<![.](${suffixes.join('|')}))[.]spec[.]ts$` : `[.]${suite}[.]spec[.]ts$`;
