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

/** What is around a value, from the inside out. */
interface Around {
  readonly value: object;
  readonly next: Around | undefined;
}

const isAround = (value: object, around: Around | undefined): boolean => {
  for (let outer = around; outer; outer = outer.next) if (outer.value === value) return true;
  return false;
};

/**
 * Facts as they may be written: values of names that say secret are masked at any depth, errors become data, bytes their number.
 * @param facts anything, also with cycles
 */
export function redactLogFields(facts: unknown, depth = 0, around?: Around): unknown {
  if (typeof facts === 'string') return maskText(facts);
  if (typeof facts === 'bigint') return facts.toString();
  if (typeof facts !== 'object' || facts === null) return facts;
  if (facts instanceof Date) return facts;
  if (facts instanceof Uint8Array) return `[${facts.length} bytes]`;
  if (isAround(facts, around)) return '[again]';
  if (depth >= DEPTH) return '[deep]';
  const inside: Around = { value: facts, next: around };
  if (Array.isArray(facts)) return facts.map((value) => redactLogFields(value, depth + 1, inside));
  if (facts instanceof Map) return redactLogFields(Object.fromEntries(facts), depth + 1, inside);
  if (facts instanceof Set) return redactLogFields([...facts], depth + 1, inside);
  if (isError(facts)) return masked(errorFacts(facts), depth, inside);
  return masked(facts as Record<string, unknown>, depth, inside);
}

/** A worker of many short runs writes two lines for each: a loop takes half as long as lists of entries. */
function masked(facts: Record<string, unknown>, depth: number, inside: Around): object {
  const told: Record<string, unknown> = {};
  for (const name of Object.keys(facts)) {
    const value = facts[name];
    const written = isSecretName(name) && isTold(value) ? MASK : redactLogFields(value, depth + 1, inside);
    if (name !== '__proto__') told[name] = written;
    else Object.defineProperty(told, name, { value: written, enumerable: true });
  }
  return told;
}

/** Whether there is anything to hide: that a secret is missing may be known. */
const isTold = (value: unknown) => value !== undefined && value !== null && value !== '' && typeof value !== 'boolean';

const isError = (value: object): value is Error =>
  value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';

function errorFacts(error: Error): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  const own = Object.entries(error).filter(([key]) => !['name', 'message', 'stack', 'cause'].includes(key));
  return { type: name, message, ...Object.fromEntries(own), stack, ...(cause ? { cause } : {}) };
}
