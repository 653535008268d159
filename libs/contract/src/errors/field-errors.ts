import type { z } from 'zod';
import { didYouMean } from '../nearest.ts';
import { foreignKeyHint } from './foreign-keys.ts';
import { PilothouseError, type FieldError } from './pilothouse-error.ts';

/** Maximum number of unknown keys of an object that get a suggestion. */
const MAX_SUGGESTIONS = 20;

/** Maximum characters of a key in a message. Its pointer has the whole key. */
const MAX_KEY_CHARS = 200;

const pointerOf = (path: readonly PropertyKey[]) =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/**
 * Error map of `safeParse` that adds the known keys of an object to an issue of unknown keys. `fieldErrors` then suggests the nearest.
 * It chooses no message.
 */
export const withKnownKeys = (issue: z.core.$ZodRawIssue): undefined => {
  if (issue.code !== 'unrecognized_keys') return;
  const { shape } = (issue.inst as { readonly shape?: object } | undefined) ?? {};
  Object.assign(issue, { knownKeys: Object.keys(shape ?? {}) });
};

/** Known keys of the object of an issue, see `withKnownKeys`. */
const knownKeysOf = (issue: z.core.$ZodIssueUnrecognizedKeys): readonly string[] =>
  (issue as { readonly knownKeys?: readonly string[] }).knownKeys ?? [];

/** Converts the issues of a failed zod parse into field errors. For a union, reports the closest branch. */
export function fieldErrors(error: z.ZodError, base: readonly PropertyKey[] = []): FieldError[] {
  return error.issues.flatMap((issue) => problemsOf(issue, base));
}

function problemsOf(issue: z.core.$ZodIssue, base: readonly PropertyKey[]): FieldError[] {
  const path = [...base, ...issue.path];
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const closest = [...issue.errors].sort((a, b) => depth(b) - depth(a) || a.length - b.length)[0] ?? [];
    const nested = closest.flatMap((inner) => problemsOf(inner, path));
    if (nested.length > 0 && depth(closest) > 0) return nested;
  }
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key, index) => {
      const hint = foreignKeyHint(key, path, issue.message);
      const suggestion = index < MAX_SUGGESTIONS ? didYouMean(key, knownKeysOf(issue)) : null;
      const advice = suggestion === null ? ': remove it or fix the spelling' : `. ${suggestion}`;
      const suffix = hint === undefined ? advice : `, ${hint}`;
      const shownKey = key.length > MAX_KEY_CHARS ? `${key.slice(0, MAX_KEY_CHARS)}…` : key;
      return { pointer: pointerOf([...path, key]), detail: `Unknown field "${shownKey}"${suffix}` };
    });
  }
  return [{ pointer: pointerOf(path), detail: sentenceOf(messagesOf(issue)) }];
}

/** The messages of an issue; for a union, those of all branches. */
const messagesOf = (issue: z.core.$ZodIssue): string[] =>
  issue.code === 'invalid_union' && issue.errors.length > 0 ? issue.errors.flat().flatMap(messagesOf) : [issue.message];

/** Messages of zod for a value of the wrong type, or a missing value. */
const WRONG_TYPE = /^Invalid input: expected (.+), received (.+)$/;

const typeNames: Readonly<Record<string, string>> = { int: 'a whole number', record: 'an object', null: 'null' };
const withArticle = (type: string) => typeNames[type] ?? (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`);

/** Joins the messages of all branches. Type errors are dropped if another branch accepts the type of the value. */
function sentenceOf(messages: readonly string[]): string {
  const otherMessages = messages.filter((message) => !WRONG_TYPE.test(message));
  if (otherMessages.length > 0) return [...new Set(otherMessages)].join(', or ');
  const typeErrors = messages.map((message) => WRONG_TYPE.exec(message));
  const expected = [...new Set(typeErrors.map((match) => withArticle(match?.[1] ?? '')))].join(' or ');
  const received = typeErrors[0]?.[2] ?? '';
  return received === 'undefined' ? `is required (${expected})` : `must be ${expected}, not ${withArticle(received)}`;
}

const depth = (issues: readonly z.core.$ZodIssue[]) =>
  issues.reduce((deepest, { path }) => Math.max(deepest, path.length), 0);

/**
 * Parses a value.
 * @param subject name of the value in the message, e.g. `body`
 * @throws PilothouseError VALIDATION_FAILED with one field error for each issue
 */
export function parseOrThrow<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  subject = 'body',
): z.output<Schema> {
  const parsed = schema.safeParse(value, { error: withKnownKeys });
  if (parsed.success) return parsed.data;
  const fields = fieldErrors(parsed.error);
  const first = fields[0];
  const suffix = fields.length > 1 ? ` (and ${fields.length - 1} more)` : '';
  const location = first?.pointer ? ` at ${first.pointer}` : '';
  throw new PilothouseError(
    'VALIDATION_FAILED',
    `The ${subject} is not valid${location}: ${first?.detail ?? ''}${suffix}`,
    {
      fields,
    },
  );
}
