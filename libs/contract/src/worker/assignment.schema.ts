import { z } from 'zod';
import { idSchema } from '../primitives.schema.ts';
import { workflowDefinitionSchema, type WorkflowDefinition } from '../workflow/workflow.schema.ts';

/** Version of the worker protocol. A gateway rejects other versions with `PROTOCOL_VERSION` and closes the socket. */
export const WORKER_PROTOCOL = 2;

/** Maximum size of a message on the control socket, in bytes. Frames and files use other channels. */
export const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

/** Characters of a longer message in one `chunk`. Each takes at most three bytes, or two if it is escaped once more. */
export const MESSAGE_CHUNK_CHARS = 200_000;

/** Maximum size of an assignment in characters of JSON. Most of it is data that earlier attempts read. */
export const MAX_ASSIGNMENT_CHARS = 32_000_000;

/** A run and the number of its attempt: the fencing token. */
export const attemptSchema = z.object({ run: idSchema, epoch: z.int().min(1) });
export type Attempt = z.infer<typeof attemptSchema>;

/** Number of a request, repeated in its answer. */
export const requestIdSchema = z.int().min(1);

/** Maximum size of a saved surface state, in characters. */
export const MAX_SAFE_POINT_CHARS = 1_500_000;

/**
 * A safe point: a later attempt can resume at `step` after restoring `state`, an opaque text of the surface. Without `state`, the previous
 * state is still valid. Encrypted at rest.
 */
export const safePointSchema = z.object({
  step: z.int().min(0),
  state: z.string().max(MAX_SAFE_POINT_CHARS).optional(),
});
export type SafePoint = z.infer<typeof safePointSchema>;

/** Cache size, and the maximum size of a cached definition in characters of JSON. */
const MAX_CACHED_DEFINITIONS = 200;
const MAX_CACHED_CHARS = 20_000;

/** Definitions by their JSON, least recently used first. */
const parsedDefinitions = new Map<string, WorkflowDefinition>();

/**
 * The definition of an assignment, from the database or the gateway. It was validated when it was submitted, and validating it again
 * dominated the cost of an assignment, so parsed definitions are cached by their text. Runs share the parsed object, which is therefore
 * frozen.
 */
export const storedDefinitionSchema = z.unknown().transform((json, context): WorkflowDefinition => {
  const text = String(JSON.stringify(json));
  const cached = parsedDefinitions.get(text);
  if (cached) {
    parsedDefinitions.delete(text);
    parsedDefinitions.set(text, cached);
    return cached;
  }
  const parsed = workflowDefinitionSchema.safeParse(json);
  if (!parsed.success) {
    for (const { message, path } of parsed.error.issues) context.addIssue({ code: 'custom', message, path: [...path] });
    return z.NEVER;
  }
  if (text.length > MAX_CACHED_CHARS) return parsed.data;
  freeze(parsed.data);
  parsedDefinitions.set(text, parsed.data);
  const [oldest] = parsedDefinitions.keys();
  if (parsedDefinitions.size > MAX_CACHED_DEFINITIONS && oldest !== undefined) parsedDefinitions.delete(oldest);
  return parsed.data;
});

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  Object.freeze(value);
  Object.values(value).forEach(freeze);
}
