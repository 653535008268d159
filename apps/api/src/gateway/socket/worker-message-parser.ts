import { fieldErrors } from '@pilothouse/contract/errors/field-errors';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Json } from '@pilothouse/contract/primitives.schema';
import {
  fromWorkerSchema,
  messageSubjectSchema,
  type FromWorker,
} from '@pilothouse/contract/worker/from-worker.messages';
import { toStorable } from '@pilothouse/core/workflow/storable-text';

const messageTypes: ReadonlySet<string> = new Set(fromWorkerSchema.options.map((option) => option.shape.type.value));

/**
 * Parses JSON into values that PostgreSQL can store: without NUL and without half surrogate pairs, which a page may contain.
 * In well-formed UTF-8 both can only occur as escapes. Drops keys `__proto__`: they would set the prototype of an object.
 */
const parseStorable = (text: string): unknown =>
  text.includes('\\u') || text.includes('__proto__')
    ? toStorable(JSON.parse(text, (key, value: Json) => (key === '__proto__' ? undefined : value)) as Json)
    : JSON.parse(text);

/** Parses a message of a worker. @throws PilothouseError PROTOCOL_INVALID or PROTOCOL_UNKNOWN */
export function parseWorkerMessage(text: string): FromWorker {
  let json: unknown;
  try {
    json = parseStorable(text);
  } catch {
    throw new PilothouseError('PROTOCOL_INVALID', 'The message is not JSON');
  }
  const type = typeof json === 'object' && json !== null && 'type' in json ? String(json.type) : '';
  if (!messageTypes.has(type))
    throw new PilothouseError('PROTOCOL_UNKNOWN', `Unknown message type "${type.slice(0, 50)}"`);
  const parsed = fromWorkerSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const first = fieldErrors(parsed.error)[0];
  throw new PilothouseError('PROTOCOL_INVALID', `${type}${first?.pointer ?? ''}: ${first?.detail ?? 'not valid'}`);
}

/** The request or attempt that a rejected message is about. Lenient, because the message may be invalid elsewhere. */
export function messageSubject(text: string): { id?: number; run?: string; epoch?: number } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return {};
  }
  const parsed = messageSubjectSchema.safeParse(json);
  return parsed.success ? parsed.data : {};
}
