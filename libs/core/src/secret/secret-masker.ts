import type { Json } from '@pilothouse/contract';

/** Replacement of a secret. */
export const MASK = '••••';

/** Suffix of a cut text, which may end with a part of a secret. */
const CUT = '…';

/** So many characters of a secret before a cut are taken for it. */
const BEGINNING_FROM = 4;

/** Base64 of a text inside a longer one begins at one of three places; from so many bytes on each is distinctive. */
const BASE64_INSIDE_FROM = 6;

/**
 * Replaces the secrets of one run, in every form in which they commonly come back: as they are, URL-encoded, JSON-escaped,
 * HTML-escaped and in base64; before a `…`, its beginning alone. It forgets nothing until it is thrown away with the attempt.
 */
export class Masker {
  private forms: string[] = [];

  /** Remembers a secret. */
  add(secret: string): void {
    const forms = new Set([...this.forms, ...formsOf(secret)]);
    // The longest first: a form may be a part of another one.
    this.forms = [...forms].filter((form) => form !== '').sort((a, b) => b.length - a.length);
  }

  /** The text without secrets. */
  text(text: string): string {
    const masked = this.forms.reduce((left, form) => left.replaceAll(form, MASK), text);
    if (this.forms.length === 0 || !masked.includes(CUT)) return masked;
    const pieces = masked.split(CUT);
    return pieces.map((piece, index) => (index < pieces.length - 1 ? this.withoutBeginning(piece) : piece)).join(CUT);
  }

  /** Masks a text that will continue. Its end is withheld if it may be the start of a secret. */
  begun(text: string): string {
    let end = text.length - Math.max(0, ...this.forms.map((form) => beginningAtEnd(text, form, 1)));
    // A secret that the end lies in is left out whole.
    for (let start = this.lyingIn(text, end); start !== null; start = this.lyingIn(text, end)) end = start;
    return this.text(text.slice(0, end));
  }

  /** Start of the secret that contains an index; null: none. */
  private lyingIn(text: string, place: number): number | null {
    const starts = this.forms.map((form) => text.indexOf(form, Math.max(0, place - form.length + 1)));
    return starts.find((start) => start >= 0 && start < place) ?? null;
  }

  /** A text without the beginning of a secret at its end. */
  private withoutBeginning(text: string): string {
    const most = Math.max(...this.forms.map((form) => beginningAtEnd(text, form, BEGINNING_FROM)));
    return most === 0 ? text : text.slice(0, -most) + MASK;
  }

  /** Masks all strings of a JSON value, including keys, and numbers that are secrets. */
  json<Value extends Json>(value: Value): Value;
  json(value: Json): Json {
    if (typeof value === 'number') return this.forms.includes(String(value)) ? MASK : value;
    return this.walk(
      value,
      (item) => this.json(item),
      (key) => this.text(key),
    );
  }

  /** Masks all strings of a value with a fixed shape. Numbers and purely alphabetic keys are unchanged. */
  strings<Value extends Json>(value: Value): Value;
  strings(value: Json): Json {
    const keyOf = (key: string) => (/^[A-Za-z]+$/.test(key) ? key : this.text(key));
    return this.walk(value, (item) => this.strings(item), keyOf);
  }

  private walk(value: Json, each: (item: Json) => Json, keyOf: (key: string) => string): Json {
    if (this.forms.length === 0) return value;
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map(each);
    if (typeof value !== 'object' || value === null) return value;
    const taken = new Set<string>();
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [freeKey(taken, keyOf(key)), each(item)]));
  }
}

/** Two keys may be the same once they are masked: the second gets a number. */
function freeKey(taken: Set<string>, key: string): string {
  const free = taken.has(key) ? `${key} (${taken.size + 1})` : key;
  taken.add(free);
  return free;
}

/**
 * Length of the longest start of a secret at the end of a text.
 * @param from minimum length
 */
function beginningAtEnd(text: string, form: string, from: number): number {
  for (let length = Math.min(form.length - 1, text.length); length >= from; length -= 1)
    if (text.endsWith(form.slice(0, length))) return length;
  return 0;
}

function formsOf(secret: string): string[] {
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
  const whole = [bytes.toString('base64'), bytes.toString('base64url')];
  if (bytes.length < BASE64_INSIDE_FROM) return whole;
  const inside = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    // The first and last characters share bits with the neighbours.
    const from = Math.ceil((before * 8) / 6);
    const to = Math.floor(((before + bytes.length) * 8) / 6);
    return text.slice(from, to);
  });
  return [...whole, ...inside, ...inside.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))];
}
