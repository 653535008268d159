import { z } from 'zod';
import { idSchema } from '../primitives.schema.ts';
import { workflowDefinitionSchema, type WorkflowDefinition } from '../workflow/workflow.schema.ts';

/** Version of the worker protocol. A gateway answers another one with `PROTOCOL_VERSION` and closes. */
export const WORKER_PROTOCOL = 2;

/** Largest message on the control socket, in bytes; bigger things (frames, files) go their own way. */
export const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

/** Characters of a longer message that go into one `chunk`: three bytes each at most, or two where they are escaped once more. */
export const MESSAGE_CHUNK_CHARS = 200_000;

/** Maximum size of an assignment in characters of JSON. Most of it is data that earlier attempts read. */
export const MAX_ASSIGNMENT_CHARS = 32_000_000;

/** A run and the attempt that speaks of it: the fencing token. */
export const attemptSchema = z.object({ run: idSchema, epoch: z.int().min(1) });
export type Attempt = z.infer<typeof attemptSchema>;

/** Number by which an answer finds its question. */
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

/** By their JSON, in the order in which they were last asked for. */
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
