const MASK = '••••';
const MAX_DEPTH = 8;

// By the end of the name: `fleetToken`, `x-api-key`, `S3_SECRET_KEY`. Not by a part: `inputTokens` is a number of tokens.
const SECRET_NAME =
  /(password|passphrase|secrets?|token|authorization|apikey|secretkey|accesskey|masterkey|privatekey|cookie|credentials?)$/;

/** Results by field name. A process logs few names, and a check costs more than the rest of the field. */
const secretNameCache = new Map<string, boolean>();
const MAX_CACHED_NAMES = 1_000;

function isSecretName(name: string): boolean {
  const cached = secretNameCache.get(name);
  if (cached !== undefined) return cached;
  const isSecret = SECRET_NAME.test(name.toLowerCase().replaceAll(/[-_.\s]/g, ''));
  if (secretNameCache.size < MAX_CACHED_NAMES) secretNameCache.set(name, isSecret);
  return isSecret;
}

/** Masks known kinds of secrets in a text: URL passwords and signatures, bearer tokens, Pilothouse tokens. */
export function maskText(text: string): string {
  // Most texts contain no such character, and four replacements cost more than the rest of the line.
  if (!/[@=_]|bearer/i.test(text)) return text;
  return text
    .replaceAll(/(\w:\/\/[^\s/?#:@]*:)[^\s/?#@]+@/g, `$1${MASK}@`)
    .replaceAll(/([?&](?:x-amz-)?(?:signature|token|key|secret)=)[^\s&#"']+/gi, `$1${MASK}`)
    .replaceAll(/\b(bearer\s+)[\w.~+/=-]+/gi, `$1${MASK}`)
    .replaceAll(/\b([a-z]{2,5}_)[0-9A-Za-z]{43}\b/g, `$1${MASK}`);
}

/** Chain of the objects that contain a value, innermost first. */
interface Ancestor {
  readonly value: object;
  readonly next: Ancestor | undefined;
}

const isAncestor = (value: object, parent: Ancestor | undefined): boolean => {
  for (let outer = parent; outer; outer = outer.next) if (outer.value === value) return true;
  return false;
};

/**
 * Prepares log fields: masks fields with secret names at any depth, turns errors into data and byte arrays into their length.
 * @param facts any value; may contain cycles
 */
export function redactLogFields(facts: unknown, depth = 0, parent?: Ancestor): unknown {
  if (typeof facts === 'string') return maskText(facts);
  if (typeof facts === 'bigint') return facts.toString();
  if (typeof facts !== 'object' || facts === null) return facts;
  if (facts instanceof Date) return facts;
  if (facts instanceof Uint8Array) return `[${facts.length} bytes]`;
  if (isAncestor(facts, parent)) return '[again]';
  if (depth >= MAX_DEPTH) return '[deep]';
  const current: Ancestor = { value: facts, next: parent };
  if (Array.isArray(facts)) return facts.map((value) => redactLogFields(value, depth + 1, current));
  if (facts instanceof Map) return redactLogFields(Object.fromEntries(facts), depth + 1, current);
  if (facts instanceof Set) return redactLogFields([...facts], depth + 1, current);
  if (isError(facts)) return maskFields(errorFacts(facts), depth, current);
  return maskFields(facts as Record<string, unknown>, depth, current);
}

/** Uses a loop instead of `Object.entries`: it halves the time, which matters for workers with many short runs. */
function maskFields(facts: Record<string, unknown>, depth: number, current: Ancestor): object {
  const output: Record<string, unknown> = {};
  for (const name of Object.keys(facts)) {
    const value = facts[name];
    const redacted = isSecretName(name) && hasValue(value) ? MASK : redactLogFields(value, depth + 1, current);
    if (name !== '__proto__') output[name] = redacted;
    else Object.defineProperty(output, name, { value: redacted, enumerable: true });
  }
  return output;
}

/** True if there is a value to mask. A missing secret may be logged. */
const hasValue = (value: unknown) =>
  value !== undefined && value !== null && value !== '' && typeof value !== 'boolean';

const isError = (value: object): value is Error =>
  value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';

function errorFacts(error: Error): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  const extraFields = Object.entries(error).filter(([key]) => !['name', 'message', 'stack', 'cause'].includes(key));
  return { type: name, message, ...Object.fromEntries(extraFields), stack, ...(cause ? { cause } : {}) };
}
