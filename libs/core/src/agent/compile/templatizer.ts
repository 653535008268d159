import type { Json } from '@pilothouse/contract';
import { wholeWords } from '../../regex/whole-words.ts';
import { MASK } from '../../secret/secret-masker.ts';
import { forEachString, escapeBeforeTemplate, escapeTemplates } from '../../workflow/templates.ts';
import { inputPlaceholdersIn } from '../../secret/secret-placeholders.ts';

/** An input value and its template: `{{inputs.query}}`. */
export interface KnownValue {
  readonly template: string;
  readonly value: Json;
}

/** Shorter values are replaced only if they are the whole text, because they occur in other texts by chance. */
const LEAST_INSIDE = 3;

/** Escaped braces. */
const escaped = /(?<!\\)(?:\\\\)*\\(\{\{[^{}]*\}\})/g;

/** Placeholders of secrets. */
const placeholders = /(\{\{\s*inputs\.[A-Za-z_][A-Za-z0-9_]*\s*\}\})/;

/** True if a text ends with a single brace. Followed by a template it would be ambiguous, and only pairs can be escaped. */
const isInBrace = (text: string): boolean => (/(?<!\{)\{*$/.exec(text)?.[0].length ?? 0) % 2 === 1;

/** Replaces input values in texts of a run with templates. */
export class Templatizer {
  private readonly byValue: ReadonlyMap<string, ReadonlySet<string>>;
  private readonly inside: RegExp | null;
  private readonly secrets: ReadonlySet<string>;
  private readonly held: ReadonlySet<string>;

  /**
   * @param secrets names of secret inputs. Texts contain their templates already.
   * @param held names of the secrets in the run, if they differ
   */
  constructor(known: readonly KnownValue[], secrets: readonly string[], held = secrets) {
    const byValue = new Map<string, Set<string>>();
    for (const { template, value } of known) {
      if (typeof value !== 'string' && typeof value !== 'number') continue;
      const text = String(value);
      if (text.trim() !== '') byValue.set(text, new Set([...(byValue.get(text) ?? []), template]));
    }
    this.byValue = byValue;
    this.secrets = new Set(secrets);
    this.held = new Set(held);
    const long = [...byValue.keys()].filter((text) => text.length >= LEAST_INSIDE && this.templateOf(text) !== null);
    long.sort((a, b) => b.length - a.length);
    this.inside = wholeWords(long, 'g');
  }

  /** True if the run has inputs that may change. */
  get isGiven(): boolean {
    return this.byValue.size > 0;
  }

  /** Converts a literal text to a template that renders to the same text with the same inputs. */
  text(text: string): string {
    const whole = this.templateOf(text);
    if (whole !== null) return whole;
    // Only placeholders of secrets are templates. Other braces are typed text.
    const parts = text.split(placeholders);
    const isTemplate = (index: number) => index % 2 === 1 && this.isSecret(parts[index] ?? '');
    return parts.map((part, index) => (isTemplate(index) ? part : this.plain(part, isTemplate(index + 1)))).join('');
  }

  /** Converts every string in a value. */
  json<Value>(value: Value): Value {
    if (typeof value === 'string') return this.text(value) as Value;
    if (Array.isArray(value)) return value.map((one: unknown) => this.json(one)) as Value;
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, this.json<unknown>(child)])) as Value;
  }

  /** True if a text contains an input value. */
  changes(text: string): boolean {
    return containsMask(text) || this.text(text) !== escapeTemplates(text);
  }

  /** True if a secret in a value did not become a template. The next run would type its name instead. */
  losesSecret(value: unknown): boolean {
    let loses = false;
    forEachString(this.json(value), (text) => {
      for (const [, braces = ''] of text.matchAll(escaped))
        if (inputPlaceholdersIn(braces).some((name) => this.held.has(name))) loses = true;
    });
    return loses;
  }

  /** True if a secret directly follows an open brace in a value, where a template is not possible. */
  bracesSecret(value: unknown): boolean {
    let braces = false;
    forEachString(value, (text) => {
      const parts = text.split(placeholders);
      braces ||= parts.some(
        (part, index) => index % 2 === 1 && this.isSecret(part) && isInBrace(parts[index - 1] ?? ''),
      );
    });
    return braces;
  }

  /** True if an input value directly follows an open brace, where a template is not possible. */
  stays(text: string): boolean {
    return [...(this.inside ? text.matchAll(this.inside) : [])].some(({ index }) => isInBrace(text.slice(0, index)));
  }

  /** True if a text is the value of several inputs. */
  isAmbiguous(text: string): boolean {
    return (this.byValue.get(text)?.size ?? 0) > 1;
  }

  private templateOf(text: string): string | null {
    const templates = [...(this.byValue.get(text) ?? [])];
    return templates.length === 1 ? (templates[0] ?? null) : null;
  }

  private isSecret(placeholder: string): boolean {
    return inputPlaceholdersIn(placeholder).every((name) => this.secrets.has(name));
  }

  /** @param isBefore a template follows */
  private plain(text: string, isBefore: boolean): string {
    let lifted = '';
    let from = 0;
    for (const found of this.inside ? text.matchAll(this.inside) : []) {
      // A text after an open brace is not replaced.
      if (isInBrace(text.slice(0, found.index))) continue;
      lifted += escapeBeforeTemplate(text.slice(from, found.index)) + (this.templateOf(found[0]) ?? '');
      from = found.index + found[0].length;
    }
    const rest = text.slice(from);
    return lifted + (isBefore ? escapeBeforeTemplate(rest) : escapeTemplates(rest));
  }
}

/** True if a text contained a secret that was masked. */
export const containsMask = (text: string): boolean => text.includes(MASK);
