/** The option `--time-limit MINUTES` of scripts/test. A run that would be killed then ends with a result instead. */

const OPTION = '--time-limit';

/** A deadline after which no further jest process starts. */
export interface TimeLimit {
  /** True once the limit, plus the grace time, has passed. */
  hasExpired(options?: { readonly graceMinutes?: number }): boolean;
}

/**
 * Removes the option from the arguments. The limit counts from this call.
 * @param now milliseconds of a monotonic clock
 * @throws Error if the value is not a positive number
 */
export function extractTimeLimit(
  args: readonly string[],
  now: () => number = () => performance.now(),
): { readonly timeLimit: TimeLimit | null; readonly rest: readonly string[] } {
  const index = args.findIndex((argument) => argument === OPTION || argument.startsWith(`${OPTION}=`));
  if (index === -1) return { timeLimit: null, rest: args };
  const isJoined = args[index] !== OPTION;
  const minutes = Number(isJoined ? args[index]?.slice(OPTION.length + 1) : args[index + 1]);
  if (!(minutes > 0)) throw new Error(`${OPTION} needs a number of minutes greater than 0, such as ${OPTION} 50`);
  const endsAt = now() + minutes * 60_000;
  const timeLimit = {
    hasExpired: ({ graceMinutes = 0 }: { readonly graceMinutes?: number } = {}) =>
      now() >= endsAt + graceMinutes * 60_000,
  };
  return { timeLimit, rest: args.toSpliced(index, isJoined ? 1 : 2) };
}
