const MASK = '••••';
const DEPTH = 8;

// By the end of the name: `fleetToken`, `x-api-key`, `S3_SECRET_KEY`. Not by a part: `inputTokens` is a number of tokens.
const SECRET_NAME =
  /(password|passphrase|secrets?|token|authorization|apikey|secretkey|accesskey|masterkey|privatekey|cookie|credentials?)$/;

/** Names that were looked at: those that a process logs are few, and each look costs more than the rest of its value. */
const looked = new Map<string, boolean>();
const MOST_LOOKED = 1_000;

function isSecretName(name: string): boolean {
  const known = looked.get(name);
  if (known !== undefined) return known;
  const found = SECRET_NAME.test(name.toLowerCase().replaceAll(/[-_.\s]/g, ''));
  if (looked.size < MOST_LOOKED) looked.set(name, found);
  return found;
}

/** A text without the secrets that stand in it in a known form: user info and signatures of URLs, bearer tokens, our own tokens. */
export function maskText(text: string): string {
  // Most texts of a log hold none of the signs, and four looks at each cost more than the rest of its line.
  if (!/[@=_]|bearer/i.test(text)) return text;
  return text
    .replaceAll(/(\w:\/\/[^\s/?#:@]*:)[^\s/?#@]+@/g, `$1${MASK}@`)
    .replaceAll(/([?&](?:x-amz-)?(?:signature|token|key|secret)=)[^\s&#"']+/gi, `$1${MASK}`)
    .replaceAll(/\b(bearer\s+)[\w.~+/=-]+/gi, `$1${MASK}`)
    .replaceAll(/\b([a-z]{2,5}_)[0-9A-Za-z]{43}\b/g, `$1${MASK}`);
}

/**
 * Facts as they may be written: values of names that say secret are masked at any depth, errors become data, bytes their number.
 * @param facts anything, also with cycles
 */
export function redact(facts: unknown, depth = 0, seen: ReadonlySet<unknown> = new Set()): unknown {
  if (typeof facts === 'string') return maskText(facts);
  if (typeof facts === 'bigint') return facts.toString();
  if (typeof facts !== 'object' || facts === null) return facts;
  if (facts instanceof Date) return facts;
  if (facts instanceof Uint8Array) return `[${facts.length} bytes]`;
  if (seen.has(facts)) return '[again]';
  if (depth >= DEPTH) return '[deep]';
  const inside = new Set(seen).add(facts);
  const next = (value: unknown) => redact(value, depth + 1, inside);
  if (Array.isArray(facts)) return facts.map(next);
  if (facts instanceof Map) return next(Object.fromEntries(facts));
  if (facts instanceof Set) return next([...facts]);
  const entries = isError(facts) ? errorEntries(facts) : Object.entries(facts);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, isSecretName(name) && isTold(value) ? MASK : next(value)]),
  );
}

/** Whether there is anything to hide: that a secret is missing may be known. */
const isTold = (value: unknown) => value !== undefined && value !== null && value !== '' && typeof value !== 'boolean';

const isError = (value: object): value is Error =>
  value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';

function errorEntries(error: Error): [string, unknown][] {
  const { name, message, stack, cause } = error;
  const own = Object.entries(error).filter(([key]) => !['name', 'message', 'stack', 'cause'].includes(key));
  return [
    ['type', name],
    ['message', message],
    ...own,
    ['stack', stack],
    ...(cause ? [['cause', cause] as [string, unknown]] : []),
  ];
}
