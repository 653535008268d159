import { ApiError } from '@pilothouse/client';
import { errorDefinition, PilothouseError, type ErrorCode } from '@pilothouse/contract';
import { ConfigError } from '@pilothouse/infra-config';
import { CommandError, exitCodes, type ExitCode } from '../output/exit-codes.ts';
import { AskedInVain } from '../output/terminal.ts';
import { clean } from '../output/sanitize-text.ts';

/** An error as a command tells it. */
export interface ToldError {
  readonly exitCode: ExitCode;
  readonly message: string;
  readonly lines: readonly string[];
  /** For programs. */
  readonly error: { readonly code: string; readonly errors?: unknown };
}

/** Whether it is this error of the catalogue. */
export const isProblem = (thrown: unknown, code: ErrorCode): thrown is PilothouseError =>
  thrown instanceof PilothouseError && thrown.code === code;

/** Anything a command threw, as sentences, exit code and facts. What nobody expected is thrown on: it is a bug, with its stack. */
export function asCommandError(thrown: unknown): ToldError {
  if (thrown instanceof CommandError) {
    const { exitCode, message, lines } = thrown;
    return { exitCode, message, lines, error: { code: codes[exitCode], ...(lines.length > 0 && { errors: lines }) } };
  }
  if (thrown instanceof PilothouseError) return fromApi(thrown);
  if (thrown instanceof ConfigError) return plain(exitCodes.usage, thrown.message);
  if (thrown instanceof AskedInVain) return plain(exitCodes.interrupted, thrown.message);
  throw thrown;
}

const codes: Readonly<Record<ExitCode, string>> = {
  [exitCodes.done]: 'OK',
  [exitCodes.failed]: 'FAILED',
  [exitCodes.usage]: 'USAGE',
  [exitCodes.cancelled]: 'CANCELLED',
  [exitCodes.unreachable]: 'UNREACHABLE',
  [exitCodes.timedOut]: 'TIMED_OUT',
  [exitCodes.interrupted]: 'INTERRUPTED',
};

const plain = (exitCode: ExitCode, message: string): ToldError => ({
  exitCode,
  message,
  lines: [],
  error: { code: codes[exitCode] },
});

const notThere = 'Is it running? ./scripts/up starts it, npx pilothouse doctor looks';

function fromApi(thrown: PilothouseError): ToldError {
  const { code, message, http, fields = [] } = thrown;
  const isOurs = http >= 500 || code === 'UNAUTHENTICATED' || code === 'FORBIDDEN' || code === 'RATE_LIMITED';
  return {
    exitCode: isOurs ? exitCodes.unreachable : exitCodes.usage,
    // the message repeats the first field, which has its own line below
    message: fields.some(({ detail }) => message.includes(detail)) ? errorDefinition(code).title : clean(message),
    lines: [
      ...fields.map(({ pointer, detail }) => `${fieldOf(pointer)}: ${clean(detail)}`),
      // what the API did not say itself is that it did not answer
      ...(code === 'UNAVAILABLE' && !(thrown instanceof ApiError) ? [notThere] : []),
      ...(code === 'UNAUTHENTICATED'
        ? ['Give a key with PILOTHOUSE_API_KEY or --api-key-file; in a clone ./scripts/up makes one']
        : []),
      ...(code === 'FORBIDDEN' ? ['npx pilothouse keys create --role ... makes another key, with a key that may'] : []),
    ],
    error: { code, ...(fields.length > 0 && { errors: fields }) },
  };
}

/** `/inputs/query` as people write it: `inputs.query`. */
const fieldOf = (pointer: string) =>
  clean(pointer.replace(/^\//, '').replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~')) || 'the request';
