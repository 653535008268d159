import { z } from 'zod';
import { idSchema } from '../primitives.schema.ts';
import { workflowDefinitionSchema, type WorkflowDefinition } from '../workflow/workflow.schema.ts';

/** Version of the worker protocol. A gateway answers another one with `PROTOCOL_VERSION` and closes. */
export const WORKER_PROTOCOL = 2;

/** Largest message on the control socket, in bytes; bigger things (frames, files) go their own way. */
export const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

/** Characters of a longer message that go into one `chunk`: three bytes each at most, or two where they are escaped once more. */
export const MESSAGE_CHUNK_CHARS = 200_000;

/** Longest assignment, in characters of JSON: what former attempts have read is most of it. */
export const MAX_ASSIGNMENT_CHARS = 32_000_000;

/** A run and the attempt that speaks of it: the fencing token. */
export const attemptSchema = z.object({ run: idSchema, epoch: z.int().min(1) });
export type Attempt = z.infer<typeof attemptSchema>;

/** Number by which an answer finds its question. */
export const requestIdSchema = z.int().min(1);

/** Longest state of a surface that is kept, in characters. */
export const MAX_SAFE_POINT_CHARS = 1_500_000;

/**
 * A safe point: from `step` on an attempt may go on with a surface that is brought back to `state`, a text only surfaces of its
 * kind understand. Without `state` the one kept last still holds. Encrypted at rest.
 */
export const safePointSchema = z.object({
  step: z.int().min(0),
  state: z.string().max(MAX_SAFE_POINT_CHARS).optional(),
});
export type SafePoint = z.infer<typeof safePointSchema>;

/** Most definitions that are kept, and the longest of them, in characters of JSON. */
const MOST_KEPT = 200;
const LONGEST = 20_000;

/** By their JSON, in the order in which they were last asked for. */
const known = new Map<string, WorkflowDefinition>();

/**
 * A definition that comes with each of its runs, from the database or the gateway: it was checked when it was taken in, and checking it again took
 * longer than all else that an assignment says. What is the same text is checked once. All its runs share what comes of it, so nobody can change it.
 */
export const storedDefinitionSchema = z.unknown().transform((json, context): WorkflowDefinition => {
  const text = String(JSON.stringify(json));
  const kept = known.get(text);
  if (kept) {
    known.delete(text);
    known.set(text, kept);
    return kept;
  }
  const parsed = workflowDefinitionSchema.safeParse(json);
  if (!parsed.success) {
    for (const { message, path } of parsed.error.issues) context.addIssue({ code: 'custom', message, path: [...path] });
    return z.NEVER;
  }
  if (text.length > LONGEST) return parsed.data;
  freeze(parsed.data);
  known.set(text, parsed.data);
  const [oldest] = known.keys();
  if (known.size > MOST_KEPT && oldest !== undefined) known.delete(oldest);
  return parsed.data;
});

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  Object.freeze(value);
  Object.values(value).forEach(freeze);
}
