/** A changed value as text. */
export interface Change {
  field: string;
  previous: string;
  next: string;
}

type Values = Readonly<Record<string, unknown>>;

/** Maximum length of a shown value. */
const MAX_TEXT = 120;

/** Changes of an audit log entry by field. Objects are compared by their fields. */
export function changesOf(previous: Values | null, next: Values | null): Change[] {
  if (!previous || !next) return [];
  return Object.keys({ ...previous, ...next }).flatMap((field) => changesIn(field, previous[field], next[field]));
}

function changesIn(field: string, previous: unknown, next: unknown): Change[] {
  if (isValues(previous) && isValues(next))
    return changesOf(previous, next).map((change) => ({ ...change, field: `${field}.${change.field}` }));
  const [fromText, toText] = [textOf(previous), textOf(next)];
  return fromText === toText ? [] : [{ field, previous: fromText, next: toText }];
}

const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function textOf(value: unknown): string {
  if (value === undefined || value === null) return 'none';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
