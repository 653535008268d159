import type { Json } from '@pilothouse/contract';
import { wholeWords } from '../../regex/whole-words.ts';
import { MASK } from '../../secret/secret-masker.ts';
import { forEachString, escapeBeforeTemplate, escapeTemplates } from '../../workflow/templates.ts';
import { inputPlaceholdersIn } from '../../secret/secret-placeholders.ts';

/** A value that the run was given, and the template that stands for it: `{{inputs.query}}`. */
export interface KnownValue {
  readonly template: string;
  readonly value: Json;
}

/** Shorter values are lifted only where they are the whole text: inside one they would be found by chance. */
const LEAST_INSIDE = 3;

/** Braces that are no template, but a text. */
const escaped = /(?<!\\)(?:\\\\)*\\(\{\{[^{}]*\}\})/g;

/** Where secrets may stand. */
const placeholders = /(\{\{\s*inputs\.[A-Za-z_][A-Za-z0-9_]*\s*\}\})/;

/** Whether a text ends with a brace that would make three with those of a template: pairs are escaped, and a single one cannot be. */
const isInBrace = (text: string): boolean => (/(?<!\{)\{*$/.exec(text)?.[0].length ?? 0) % 2 === 1;

/** Texts of a run, with what was given to it put back as templates. */
export class Templatizer {
  private readonly byValue: ReadonlyMap<string, ReadonlySet<string>>;
  private readonly inside: RegExp | null;
  private readonly secrets: ReadonlySet<string>;
  private readonly held: ReadonlySet<string>;

  /**
   * @param secrets names of secret inputs; their templates stand in texts already
   * @param held names by which the run has secrets, where these are others
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

  /** Whether the run was given anything that may be another the next time. */
  get isGiven(): boolean {
    return this.byValue.size > 0;
  }

  /** A literal text as a template that means the same now, and the next value of an input the next time. */
  text(text: string): string {
    const whole = this.templateOf(text);
    if (whole !== null) return whole;
    // Secrets stand by their name: everything else in braces is a text that was typed.
    const parts = text.split(placeholders);
    const isTemplate = (index: number) => index % 2 === 1 && this.isSecret(parts[index] ?? '');
    return parts.map((part, index) => (isTemplate(index) ? part : this.plain(part, isTemplate(index + 1)))).join('');
  }

  /** The same for every string in a value. */
  json<Value>(value: Value): Value {
    if (typeof value === 'string') return this.text(value) as Value;
    if (Array.isArray(value)) return value.map((one: unknown) => this.json(one)) as Value;
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, this.json<unknown>(child)])) as Value;
  }

  /** Whether a text has something in it that is another the next time. */
  changes(text: string): boolean {
    return containsMask(text) || this.text(text) !== escapeTemplates(text);
  }

  /** Whether a secret that stood in a text of a value is no template now: the next run would be given its name in its place. */
  losesSecret(value: unknown): boolean {
    let loses = false;
    forEachString(this.json(value), (text) => {
      for (const [, braces = ''] of text.matchAll(escaped))
        if (inputPlaceholdersIn(braces).some((name) => this.held.has(name))) loses = true;
    });
    return loses;
  }

  /** Whether a text of a value has a secret right behind an open brace: no template can stand there. */
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

  /** Whether a value that was given stands right behind an open brace, where no template can. */
  stays(text: string): boolean {
    return [...(this.inside ? text.matchAll(this.inside) : [])].some(({ index }) => isInBrace(text.slice(0, index)));
  }

  /** The values that several inputs have, where one of them is the whole text: which is meant nobody knows. */
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
      // What stands behind an open brace stays as it was typed.
      if (isInBrace(text.slice(0, found.index))) continue;
      lifted += escapeBeforeTemplate(text.slice(from, found.index)) + (this.templateOf(found[0]) ?? '');
      from = found.index + found[0].length;
    }
    const rest = text.slice(from);
    return lifted + (isBefore ? escapeBeforeTemplate(rest) : escapeTemplates(rest));
  }
}

/** Whether a text had a secret in it, which is gone. */
export const containsMask = (text: string): boolean => text.includes(MASK);
