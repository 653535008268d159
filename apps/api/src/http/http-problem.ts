import { HttpException } from '@nestjs/common';
import { errorDefinition, type ErrorCode } from '@pilothouse/contract/errors/error-codes';
import { PilothouseError, type FieldError, type Problem } from '@pilothouse/contract/errors/pilothouse-error';
import { isDatabaseUnavailable, isTableMissing, noTables, isDatabaseBusy } from '@pilothouse/infra-db';

/** Error codes for statuses that Nest and Fastify respond with themselves. */
const codeByStatus: Readonly<Record<number, ErrorCode>> = {
  400: 'VALIDATION_FAILED',
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  406: 'NOT_ACCEPTABLE',
  409: 'CONFLICT',
  413: 'PAYLOAD_TOO_LARGE',
  414: 'VALIDATION_FAILED',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  503: 'UNAVAILABLE',
};

const statusOf = (error: unknown): number | undefined => {
  if (error instanceof HttpException) return error.getStatus();
  const status = typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : undefined;
  return typeof status === 'number' ? status : undefined;
};

/** Converts an error of a request to an error of the catalog. */
export function toPublicError(error: unknown): PilothouseError {
  if (error instanceof PilothouseError) return error;
  if (isDatabaseUnavailable(error)) {
    return new PilothouseError('UNAVAILABLE', 'The database is not responding. Try again.', { cause: error });
  }
  if (isTableMissing(error)) return noTables(error);
  const code = codeByStatus[statusOf(error) ?? 500];
  if (code) return new PilothouseError(code, (error as Error).message, { cause: error });
  return new PilothouseError('INTERNAL', 'Unexpected error', { cause: error });
}

interface Position {
  line: number;
  column: number;
}

/** Adds line and column to the fields if the error has them, as those of workflow files do. */
function fieldsOf({ fields, details }: PilothouseError): FieldError[] | undefined {
  const positions = details?.['positions'] as (Position | undefined)[] | undefined;
  if (!positions) return fields;
  return fields?.map((field, index) => {
    const position = positions[index];
    if (!position) return field;
    const { line, column } = position;
    return { ...field, detail: `${field.detail} (line ${line}, column ${column})`, line, column };
  });
}

/**
 * Returns the problem details (RFC 9457) of an error. Internal errors reveal no detail; the log has it under the id of the request.
 * @param request id of the request
 * @param installation shown for an unknown key or session, which may belong to another installation
 */
export function toProblem(error: PilothouseError, request: string, installation: string): Problem {
  const { title } = errorDefinition(error.code);
  const fields = fieldsOf(error);
  return {
    type: `urn:pilothouse:error:${error.code.toLowerCase().replaceAll('_', '-')}`,
    title,
    status: error.http,
    detail: detailOf(error, request, installation),
    instance: `urn:pilothouse:request:${request}`,
    code: error.code,
    retry: error.retry,
    ...(error.code === 'UNAUTHENTICATED' && { installation }),
    ...(fields && fields.length > 0 && { errors: fields }),
  };
}

function detailOf({ code, message }: PilothouseError, request: string, installation: string): string {
  if (code === 'INTERNAL') return `Send the operator the request id ${request}; the log has the cause.`;
  return code === 'UNAUTHENTICATED' ? `${message} (installation ${installation})` : message;
}

/** Returns whether a retry may succeed. Unexpected errors are not retried: endless retries would block other work. */
export function isRetryable(error: unknown): boolean {
  const { code, retry } = toPublicError(error);
  return (retry === 'same-request' && code !== 'INTERNAL') || isDatabaseBusy(error);
}

/** A public reason for a failure. Unexpected errors are described only in the log. */
export function publicReason(error: unknown): string {
  const { code, message } = toPublicError(error);
  return code === 'INTERNAL' ? 'Unexpected error; see the log' : message;
}
