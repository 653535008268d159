/** A changed value as text. */
export interface Change {
  field: string;
  from: string;
  to: string;
}

type Values = Readonly<Record<string, unknown>>;

/** Maximum length of a shown value. */
const MAX_TEXT = 120;

/** Changes of an audit log entry by field. Objects are compared by their fields. */
export function changesOf(before: Values | null, after: Values | null): Change[] {
  if (!before || !after) return [];
  return Object.keys({ ...before, ...after }).flatMap((field) => changesIn(field, before[field], after[field]));
}

function changesIn(field: string, from: unknown, to: unknown): Change[] {
  if (isValues(from) && isValues(to))
    return changesOf(from, to).map((change) => ({ ...change, field: `${field}.${change.field}` }));
  const [fromText, toText] = [textOf(from), textOf(to)];
  return fromText === toText ? [] : [{ field, from: fromText, to: toText }];
}

const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function textOf(value: unknown): string {
  if (value === undefined || value === null) return 'none';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
