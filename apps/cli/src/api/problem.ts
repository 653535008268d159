import { errorFacts, PilothouseError, type ErrorCode } from '@pilothouse/contract';
import { ConfigError } from '@pilothouse/infra-config';
import { CommandError, exitCodes, type ExitCode } from '../output/exit.ts';
import { AskedInVain } from '../output/terminal.ts';
import { clean } from '../output/text.ts';

/** An error as a command tells it. */
export interface ToldError {
  readonly exitCode: ExitCode;
  readonly message: string;
  readonly lines: readonly string[];
  /** For programs. */
  readonly error: { readonly code: string; readonly errors?: unknown };
}

/** No answer came: the address, for the sentence about it. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
  readonly url: string;

  constructor(url: string, cause: unknown) {
    super(`No Pilothouse answers at ${url}: ${whyOf(cause)}.`, { cause });
    this.url = url;
  }
}

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host cannot be looked up',
  ECONNRESET: 'the connection was broken off',
  UND_ERR_SOCKET: 'the connection was broken off',
  ETIMEDOUT: 'it took too long',
  UND_ERR_CONNECT_TIMEOUT: 'it took too long',
  UND_ERR_HEADERS_TIMEOUT: 'it took too long',
};

function whyOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  if (thrown.name === 'TimeoutError') return 'it took too long';
  if (thrown.cause !== undefined) return whyOf(thrown.cause);
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';
  return words[code] ?? clean(thrown.message);
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
  if (thrown instanceof Unreachable) {
    return {
      ...plain(exitCodes.unreachable, thrown.message),
      lines: ['Is it running? ./scripts/up starts it, npx pilothouse doctor looks'],
    };
  }
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

function fromApi({ code, message, http, fields = [] }: PilothouseError): ToldError {
  const isOurs = http >= 500 || code === 'UNAUTHENTICATED' || code === 'FORBIDDEN' || code === 'RATE_LIMITED';
  return {
    exitCode: isOurs ? exitCodes.unreachable : exitCodes.usage,
    // the message repeats the first field, which has its own line below
    message: fields.some(({ detail }) => message.includes(detail)) ? errorFacts(code).title : clean(message),
    lines: [
      ...fields.map(({ pointer, detail }) => `${fieldOf(pointer)}: ${clean(detail)}`),
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
