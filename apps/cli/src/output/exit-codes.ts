/** Exit codes of commands. Stable: scripts depend on them. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  cancelled: 3,
  unreachable: 4,
  timedOut: 5,
  needsAnswer: 6,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The meaning of each exit code, for help and docs. */
export const exitCodeTexts: readonly (readonly [ExitCode, string])[] = [
  [exitCodes.done, 'success'],
  [exitCodes.failed, 'the run failed'],
  [exitCodes.usage, 'invalid usage, workflow, input or request'],
  [exitCodes.cancelled, 'the run was cancelled'],
  [exitCodes.unreachable, 'API unreachable or unhealthy, or permission denied'],
  [exitCodes.timedOut, '--wait-timeout expired; the run continues'],
  [exitCodes.needsAnswer, 'the run waits for an answer, without a terminal or after --wait-timeout; the run continues'],
  [exitCodes.interrupted, 'interrupted with Ctrl-C; the run continues'],
];

/** Help text about exit codes. */
export const exitHelp = [
  'Exit codes:',
  ...exitCodeTexts.map(([code, text]) => `  ${String(code).padEnd(4)} ${text}`),
].join('\n');

/** Ends a command with a message and an exit code. */
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

/** An error of invalid usage. */
export const usage = (message: string, lines?: readonly string[]) => new CommandError(exitCodes.usage, message, lines);
