import { z } from 'zod';
import { workflowDefinitionSchema, type WorkflowDefinition } from './workflow.ts';

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
