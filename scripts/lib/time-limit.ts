/** The option `--time-limit MINUTES` of the tests: a slow machine then runs fewer spec files and still reports a result. */

const OPTION = '--time-limit';

/** The end of the time in which spec files start. */
export interface TimeLimit {
  /** True after the limit, or the given number of minutes after it. */
  isOver(options?: { readonly graceMinutes?: number }): boolean;
}

/**
 * Takes the option from the arguments. The time starts now.
 * @param now milliseconds of a monotonic clock
 * @throws Error when its value is not a positive number
 */
export function takeTimeLimit(
  args: readonly string[],
  now: () => number = () => performance.now(),
): { readonly timeLimit: TimeLimit | null; readonly rest: readonly string[] } {
  const index = args.indexOf(OPTION);
  if (index === -1) return { timeLimit: null, rest: args };
  const minutes = Number(args[index + 1]);
  if (!(minutes > 0)) throw new Error(`${OPTION} needs a number of minutes greater than 0, such as ${OPTION} 50`);
  const endsAt = now() + minutes * 60_000;
  const timeLimit = {
    isOver: ({ graceMinutes = 0 }: { readonly graceMinutes?: number } = {}) => now() >= endsAt + graceMinutes * 60_000,
  };
  return { timeLimit, rest: args.toSpliced(index, 2) };
}
