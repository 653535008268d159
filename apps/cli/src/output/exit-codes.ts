/** What the exit code of a command says. Stable: scripts build on it. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  cancelled: 3,
  unreachable: 4,
  timedOut: 5,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The codes in words, for help and docs. */
export const exitWords: readonly (readonly [ExitCode, string])[] = [
  [exitCodes.done, 'the run completed, or the command did what was asked'],
  [exitCodes.failed, 'the run failed'],
  [exitCodes.usage, 'wrong usage, a workflow or inputs that are not valid, or a request that the API refuses'],
  [exitCodes.cancelled, 'the run was cancelled'],
  [exitCodes.unreachable, 'the API cannot be reached, is not well, or the key may not do this'],
  [exitCodes.timedOut, 'the time of --timeout passed; the run goes on'],
  [exitCodes.interrupted, 'stopped watching with Ctrl-C; the run goes on'],
];

/** Help text about exit codes. */
export const exitHelp = [
  'Exit codes:',
  ...exitWords.map(([code, words]) => `  ${String(code).padEnd(4)} ${words}`),
].join('\n');

/** What a command ends with instead of doing what was asked: sentences for people, and the exit code. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: ExitCode;
  /** Lines below the message: `field: fix`, hints. */
  readonly lines: readonly string[];

  constructor(exitCode: ExitCode, message: string, lines: readonly string[] = []) {
    super(message);
    this.exitCode = exitCode;
    this.lines = lines;
  }
}

/** What was asked is wrong. */
export const usage = (message: string, lines?: readonly string[]) => new CommandError(exitCodes.usage, message, lines);
