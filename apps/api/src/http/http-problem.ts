import { HttpException } from '@nestjs/common';
import { errorDefinition, PilothouseError, type ErrorCode, type FieldError, type Problem } from '@pilothouse/contract';
import { isDatabaseUnavailable, isTableMissing, noTables } from '@pilothouse/infra-db';

/** Statuses that Nest and Fastify themselves answer with, as errors of the catalogue. */
const byStatus: Readonly<Record<number, ErrorCode>> = {
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

const statusOf = (thrown: unknown): number | undefined => {
  if (thrown instanceof HttpException) return thrown.getStatus();
  const status =
    typeof thrown === 'object' && thrown !== null && 'statusCode' in thrown ? thrown.statusCode : undefined;
  return typeof status === 'number' ? status : undefined;
};

/** Anything thrown while a request was answered, as an error of the catalogue. */
export function toPublicError(thrown: unknown): PilothouseError {
  if (thrown instanceof PilothouseError) return thrown;
  if (isDatabaseUnavailable(thrown)) {
    return new PilothouseError('UNAVAILABLE', 'The database does not answer; try again soon', { cause: thrown });
  }
  if (isTableMissing(thrown)) return noTables(thrown);
  const code = byStatus[statusOf(thrown) ?? 500];
  if (code) return new PilothouseError(code, (thrown as Error).message, { cause: thrown });
  return new PilothouseError('INTERNAL', 'Something unexpected happened', { cause: thrown });
}

interface Position {
  line: number;
  column: number;
}

/** Fields with their place in the text, where the error knows it (workflow files). */
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
 * RFC 9457 problem details of an error. What is our own fault says nothing of itself: the log does, under the request's id.
 * @param request id of the request
 * @param installation in the problem of a key or session that is not known here: it may be known elsewhere
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
  if (code === 'INTERNAL') return `Tell the operator the request id ${request}; the log has the reason`;
  return code === 'UNAUTHENTICATED' ? `${message} (installation ${installation})` : message;
}
