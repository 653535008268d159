/** The test suites. A spec file belongs to the suite that its suffix names, `name.<suite>.spec.ts`; without one it is a unit test. */

/** A server or program that a suite needs besides npm packages. */
export type Need = 'postgres' | 'redis' | 's3' | 'chromium' | 'desktop';

export interface Suite {
  readonly name: string;
  readonly needs: readonly Need[];
  /** Seconds that all of its files may take on two cores. */
  readonly budgetSeconds?: number;
}

export const suites: readonly Suite[] = [
  { name: 'unit', needs: [], budgetSeconds: 90 },
  { name: 'process', needs: [], budgetSeconds: 120 },
  { name: 'chart', needs: [], budgetSeconds: 60 },
  { name: 'db', needs: ['postgres', 'redis', 's3'], budgetSeconds: 240 },
  { name: 'browser', needs: ['chromium'], budgetSeconds: 300 },
  { name: 'desktop', needs: ['desktop'], budgetSeconds: 360 },
  { name: 'e2e', needs: ['postgres', 'redis', 's3', 'chromium'], budgetSeconds: 600 },
  { name: 'chaos', needs: ['postgres', 'redis', 's3', 'chromium'] },
  { name: 'cluster', needs: [] },
];

const suffixes = suites.slice(1).map(({ name }) => name);
const SUFFIX = new RegExp(`[.](${suffixes.join('|')})[.]spec[.]ts$`);

/** Returns the name of the suite that a spec file belongs to. */
export const suiteOf = (file: string): string => SUFFIX.exec(file)?.[1] ?? 'unit';

/** Returns a regular expression, as text, that matches the spec files of a suite. */
export const patternOf = (suite: string): string =>
  suite === 'unit' ? `(?<![.](${suffixes.join('|')}))[.]spec[.]ts$` : `[.]${suite}[.]spec[.]ts$`;
