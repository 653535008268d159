/** The options of scripts/test. Everything else selects spec files or goes to jest. */

/** A deadline after which no further spec file starts. */
export interface TimeLimit {
  /** Milliseconds since the epoch. */
  readonly endsAt: number;
  /** True once the limit, plus the grace time, has passed. */
  hasExpired(options?: { readonly graceMinutes?: number }): boolean;
}

export interface TestOptions {
  /** Regular expressions of paths of spec files; empty: all. */
  readonly patterns: readonly string[];
  /** Options for jest, with their values. */
  readonly jestOptions: readonly string[];
  /** `--since`: a commit, to run only what the change since then can affect. */
  readonly since: string | null;
  /** `--include`: paths of spec files that run in addition to those that `--since` selects. */
  readonly included: readonly string[];
  /** `--time-limit`. */
  readonly timeLimit: TimeLimit | null;
  /** `--retry-flaky`. */
  readonly isRetrying: boolean;
  /** `--times`: prints the stored times and runs nothing. */
  readonly hasTimes: boolean;
}

/** Options of jest that take the next argument as their value. */
const VALUE_OPTIONS = new Set(['-t', '--testNamePattern', '--testTimeout', '--seed', '--maxWorkers', '-w']);

/**
 * Reads the arguments. The time limit counts from this call.
 * @param now milliseconds since the epoch
 * @throws Error that names the option and a valid value
 */
export function readTestOptions(args: readonly string[], now: () => number = Date.now): TestOptions {
  const rest: string[] = [];
  const included: string[] = [];
  const values: Record<string, string | undefined> = {};
  for (let index = 0; index < args.length; index += 1) {
    const argument = args[index] ?? '';
    const [name = '', joined] = argument.split(/=(.*)/s, 2);
    if (name === '--since' || name === '--time-limit') values[name] = joined ?? args[++index] ?? '';
    else if (name === '--include') included.push(joined ?? args[++index] ?? '');
    else if (name === '--retry-flaky' || name === '--times') values[name] = '';
    else rest.push(argument);
  }
  const isOption = (argument: string, index: number) =>
    argument.startsWith('-') || VALUE_OPTIONS.has(rest[index - 1] ?? '');
  if (values['--since'] === '') throw new Error('--since needs a commit, such as --since HEAD~1');
  if (included.length > 0 && values['--since'] === undefined) throw new Error('--include needs --since COMMIT');
  return {
    patterns: rest.filter((argument, index) => !isOption(argument, index)),
    jestOptions: rest.filter((argument, index) => isOption(argument, index)),
    since: values['--since'] ?? null,
    included,
    timeLimit: values['--time-limit'] === undefined ? null : timeLimitOf(values['--time-limit'], now),
    isRetrying: values['--retry-flaky'] !== undefined,
    hasTimes: values['--times'] !== undefined,
  };
}

function timeLimitOf(value: string, now: () => number): TimeLimit {
  const minutes = Number(value);
  if (!(minutes > 0)) throw new Error('--time-limit needs a number of minutes greater than 0, such as --time-limit 50');
  const endsAt = now() + minutes * 60_000;
  return {
    endsAt,
    hasExpired: ({ graceMinutes = 0 } = {}) => now() >= endsAt + graceMinutes * 60_000,
  };
}
