import type { Json } from '@pilothouse/contract/primitives.schema';

/** Replacement of a secret. */
export const MASK = '••••';

/** Suffix of a cut text, which may end with a part of a secret. */
const ELLIPSIS = '…';

/** Minimum characters of a secret before a cut that are masked. */
const MIN_PREFIX_CHARS = 4;

/** Minimum bytes of a secret whose base64 inside a longer text is masked, at each of three offsets. */
const MIN_BASE64_BYTES = 6;

/**
 * Replaces the secrets of one run in common encodings: plain, URL-encoded, JSON-escaped, HTML-escaped and base64; before a `…` also their
 * prefixes.
 */
export class Masker {
  private encodings: string[] = [];

  /** Adds a secret. */
  add(secret: string): void {
    const encodings = new Set([...this.encodings, ...encodingsOf(secret)]);
    // Longest first: an encoding may contain another one.
    this.encodings = [...encodings].filter((form) => form !== '').sort((a, b) => b.length - a.length);
  }

  /** The text without secrets. */
  text(text: string): string {
    const masked = this.encodings.reduce((result, form) => result.replaceAll(form, MASK), text);
    if (this.encodings.length === 0 || !masked.includes(ELLIPSIS)) return masked;
    const pieces = masked.split(ELLIPSIS);
    return pieces
      .map((piece, index) => (index < pieces.length - 1 ? this.maskTrailingPrefix(piece) : piece))
      .join(ELLIPSIS);
  }

  /** Masks a text that will continue. Its end is withheld if it may be the start of a secret. */
  partialText(text: string): string {
    let end = text.length - Math.max(0, ...this.encodings.map((form) => trailingPrefixLength(text, form, 1)));
    // A secret that crosses the end is omitted.
    for (let start = this.secretStartAt(text, end); start !== null; start = this.secretStartAt(text, end)) end = start;
    return this.text(text.slice(0, end));
  }

  /** Start of the secret that contains an index; null: none. */
  private secretStartAt(text: string, index: number): number | null {
    const starts = this.encodings.map((form) => text.indexOf(form, Math.max(0, index - form.length + 1)));
    return starts.find((start) => start >= 0 && start < index) ?? null;
  }

  /** Masks the prefix of a secret at the end of a text. */
  private maskTrailingPrefix(text: string): string {
    const prefixLength = Math.max(...this.encodings.map((form) => trailingPrefixLength(text, form, MIN_PREFIX_CHARS)));
    return prefixLength === 0 ? text : text.slice(0, -prefixLength) + MASK;
  }

  /** Masks all strings of a JSON value, including keys, and numbers that are secrets. */
  json<Value extends Json>(value: Value): Value;
  json(value: Json): Json {
    if (typeof value === 'number') return this.encodings.includes(String(value)) ? MASK : value;
    return this.mapStrings(
      value,
      (item) => this.json(item),
      (key) => this.text(key),
    );
  }

  /** Masks all strings of a value with a fixed shape. Numbers and purely alphabetic keys are unchanged. */
  strings<Value extends Json>(value: Value): Value;
  strings(value: Json): Json {
    const mapKey = (key: string) => (/^[A-Za-z]+$/.test(key) ? key : this.text(key));
    return this.mapStrings(value, (item) => this.strings(item), mapKey);
  }

  private mapStrings(value: Json, mapItem: (item: Json) => Json, mapKey: (key: string) => string): Json {
    if (this.encodings.length === 0) return value;
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map(mapItem);
    if (typeof value !== 'object' || value === null) return value;
    const usedKeys = new Set<string>();
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [uniqueKey(usedKeys, mapKey(key)), mapItem(item)]),
    );
  }
}

/** Masked keys may be equal: the second gets a number. */
function uniqueKey(usedKeys: Set<string>, key: string): string {
  const keyWithSuffix = usedKeys.has(key) ? `${key} (${usedKeys.size + 1})` : key;
  usedKeys.add(keyWithSuffix);
  return keyWithSuffix;
}

/**
 * Length of the longest start of a secret at the end of a text.
 * @param minLength in characters
 */
function trailingPrefixLength(text: string, form: string, minLength: number): number {
  for (let length = Math.min(form.length - 1, text.length); length >= minLength; length -= 1)
    if (text.endsWith(form.slice(0, length))) return length;
  return 0;
}

function encodingsOf(secret: string): string[] {
  // Lone surrogates have no URL encoding.
  const url = encodeURIComponent(secret.toWellFormed());
  // encodeURIComponent and form encoding escape different characters.
  const form = new URLSearchParams({ s: secret }).toString().slice(2);
  const json = JSON.stringify(secret).slice(1, -1);
  const html = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const texts = [secret, url, url.toLowerCase(), form, form.toLowerCase(), encodeURI(secret.toWellFormed()), json];
  return [
    ...texts,
    html,
    html.replaceAll('"', '&quot;'),
    html.replaceAll('"', '&quot;').replaceAll("'", '&#39;'),
    ...base64Of(secret),
  ];
}

function base64Of(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const complete = [bytes.toString('base64'), bytes.toString('base64url')];
  const length = bytes.length;
  const embedded = [0, 1, 2].map((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
    const text = padded.toString('base64').replace(/=+$/, '');
    padded.fill(0);
    // The first and last characters share bits with the neighbours.
    const start = Math.ceil((offset * 8) / 6);
    const end = Math.floor(((offset + length) * 8) / 6);
    return text.slice(start, end);
  });
  bytes.fill(0);
  if (length < MIN_BASE64_BYTES) return complete;
  return [...complete, ...embedded, ...embedded.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))];
}
