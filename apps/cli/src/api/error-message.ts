import { ApiError } from '@pilothouse/client';
import { errorDefinition, type ErrorCode } from '@pilothouse/contract/errors/error-codes';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { stepOfPointer } from '@pilothouse/core/interpreter/step-number';
import { ConfigError } from '@pilothouse/infra-config';
import { CommandError, exitCodes, type ExitCode } from '../output/exit-codes.ts';
import { PromptCancelled } from '../output/terminal.ts';
import { clean } from '../output/sanitize-text.ts';

/** An error as a command reports it. */
export interface CommandFailure {
  readonly exitCode: ExitCode;
  readonly message: string;
  readonly lines: readonly string[];
  /** For programs. */
  readonly error: { readonly code: string; readonly errors?: unknown };
}

/** True for a Pilothouse error with this code. */
export const isProblem = (thrown: unknown, code: ErrorCode): thrown is PilothouseError =>
  thrown instanceof PilothouseError && thrown.code === code;

/** Converts an error that a command threw to its message, exit code and code. Rethrows unexpected errors: they are bugs. */
export function asCommandError(thrown: unknown): CommandFailure {
  if (thrown instanceof CommandError) {
    const { exitCode, message, lines } = thrown;
    return { exitCode, message, lines, error: { code: codes[exitCode], ...(lines.length > 0 && { errors: lines }) } };
  }
  if (thrown instanceof PilothouseError) return fromApi(thrown);
  if (thrown instanceof ConfigError) return plain(exitCodes.usage, thrown.message);
  if (thrown instanceof PromptCancelled) return plain(exitCodes.interrupted, thrown.message);
  throw thrown;
}

const codes: Readonly<Record<ExitCode, string>> = {
  [exitCodes.done]: 'OK',
  [exitCodes.failed]: 'FAILED',
  [exitCodes.usage]: 'USAGE',
  [exitCodes.cancelled]: 'CANCELLED',
  [exitCodes.unreachable]: 'UNREACHABLE',
  [exitCodes.timedOut]: 'TIMED_OUT',
  [exitCodes.needsAnswer]: 'NEEDS_ANSWER',
  [exitCodes.interrupted]: 'INTERRUPTED',
};

const plain = (exitCode: ExitCode, message: string): CommandFailure => ({
  exitCode,
  message,
  lines: [],
  error: { code: codes[exitCode] },
});

const START_HINT = 'Start it with ./scripts/up, or run: npx pilothouse doctor';

function fromApi(thrown: PilothouseError): CommandFailure {
  const { code, message, http, fields = [] } = thrown;
  const isUnreachable = http >= 500 || code === 'UNAUTHENTICATED' || code === 'FORBIDDEN' || code === 'RATE_LIMITED';
  return {
    exitCode: isUnreachable ? exitCodes.unreachable : exitCodes.usage,
    // The message repeats the first field, which has its own line below.
    message: fields.some(({ detail }) => message.includes(detail)) ? errorDefinition(code).title : clean(message),
    lines: [
      ...fields.map(({ pointer, detail }) => `${fieldOf(pointer)}: ${clean(detail)}`),
      // Not an answer of the API: it did not answer.
      ...(code === 'UNAVAILABLE' && !(thrown instanceof ApiError) ? [START_HINT] : []),
      ...(code === 'UNAUTHENTICATED'
        ? ['Set PILOTHOUSE_API_KEY or --api-key-file. Locally ./scripts/up creates a key.']
        : []),
      ...(code === 'FORBIDDEN' ? ['Ask an admin for a key: npx pilothouse keys create --role …'] : []),
    ],
    error: { code, ...(fields.length > 0 && { errors: fields }) },
  };
}

/** Formats a JSON pointer for people: `/inputs/query` → `inputs.query`, `/steps/1/target` → `step 2, target`. */
function fieldOf(pointer: string): string {
  const place = stepOfPointer(pointer);
  if (!place) return dotted(pointer) || 'the request';
  return place.field === '' ? `step ${place.step}` : `step ${place.step}, ${dotted(place.field)}`;
}

const dotted = (pointer: string) =>
  clean(pointer.replace(/^\//, '').replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~'));
