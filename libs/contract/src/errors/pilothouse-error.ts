import { z } from 'zod';
import { errorCodes, errorDefinition, retries, type ErrorCode, type RetryPolicy } from './error-codes.ts';

/** One wrong field of a request: its place (JSON Pointer into the body, or `query/<name>`), and the fix. */
export const fieldErrorSchema = z.object({
  pointer: z.string().describe('JSON Pointer to the field, e.g. `/steps/2/target`; empty for the whole body'),
  detail: z.string().describe('Problem and its fix'),
  line: z.int().min(1).optional().describe('Position in a YAML body, from 1'),
  column: z.int().min(1).optional(),
});
export type FieldError = z.infer<typeof fieldErrorSchema>;

/** The part of an error that crosses a process. */
export const errorViewSchema = z
  .object({
    code: z.enum(errorCodes),
    message: z.string().max(4000),
    // Workers and stored events of another version may have a value that is not in the catalogue.
    retry: z.enum(retries).catch('no'),
    details: z.record(z.string(), z.unknown()).optional().describe('Facts for people and programs, by error code'),
  })
  .meta({ id: 'Error' });
export type ErrorView = z.infer<typeof errorViewSchema>;

/** RFC 9457 problem details, with our `code`, `retry` and the fields that are wrong. */
export const problemSchema = z
  .object({
    type: z.string().describe('URI of the error code'),
    title: z.string(),
    status: z.int(),
    detail: z.string().optional(),
    instance: z.string().optional().describe('URI with the request id'),
    code: z.enum(errorCodes),
    retry: z.enum(retries),
    errors: z.array(fieldErrorSchema).optional(),
    installation: z.string().optional().describe('With 401: id of the installation that answers'),
  })
  .meta({ id: 'Problem', description: 'RFC 9457 problem details' });
export type Problem = z.infer<typeof problemSchema>;

/** An error of the catalogue. The message is for people and must not carry a secret. */
export class PilothouseError extends Error {
  override readonly name = 'PilothouseError';
  readonly code: ErrorCode;
  readonly details: Record<string, unknown> | undefined;
  readonly fields: FieldError[] | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: Record<string, unknown>; fields?: FieldError[]; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details;
    this.fields = options.fields;
  }

  get retry(): RetryPolicy {
    return errorDefinition(this.code).retry;
  }

  get http(): number {
    return errorDefinition(this.code).http;
  }

  /** The part of the error that may leave the process: no stack and no cause. */
  view(): ErrorView {
    return {
      code: this.code,
      message: this.message.slice(0, 4000),
      retry: this.retry,
      ...(this.details && { details: this.details }),
    };
  }
}

/** Converts any thrown value into a PilothouseError. Unknown errors get the `fallback` code and keep their message. */
export function toPilothouseError(thrown: unknown, fallback: ErrorCode = 'INTERNAL'): PilothouseError {
  if (thrown instanceof PilothouseError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new PilothouseError(fallback, message, { cause: thrown });
}
