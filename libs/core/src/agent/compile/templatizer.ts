import type { Json } from '@pilothouse/contract/primitives.schema';
import { wholeWords } from '../../regex/whole-words.ts';
import { MASK } from '../../secret/secret-masker.ts';
import { forEachString, escapeBeforeTemplate, escapeTemplates } from '../../workflow/templates.ts';
import { inputPlaceholdersIn } from '../../workflow/secret-placeholders.ts';

/** An input value and its template: `{{inputs.query}}`. */
export interface KnownValue {
  readonly template: string;
  readonly value: Json;
}

/** Shorter values are replaced only if they are the whole text, because they occur in other texts by chance. */
const MIN_EMBEDDED_CHARS = 3;

const ESCAPED_BRACES = /(?<!\\)(?:\\\\)*\\(\{\{[^{}]*\}\})/g;

/** Placeholders of secrets. */
const PLACEHOLDERS = /(\{\{\s*inputs\.[A-Za-z_][A-Za-z0-9_]*\s*\}\})/;

/** True if a text ends with a single brace. Followed by a template it would be ambiguous, and only pairs can be escaped. */
const endsWithOpenBrace = (text: string): boolean => (/(?<!\{)\{*$/.exec(text)?.[0].length ?? 0) % 2 === 1;

/** Replaces input values in texts of a run with templates. */
export class Templatizer {
  private readonly byValue: ReadonlyMap<string, ReadonlySet<string>>;
  private readonly embeddedValues: RegExp | null;
  private readonly secrets: ReadonlySet<string>;
  private readonly runSecrets: ReadonlySet<string>;

  /**
   * @param secrets names of secret inputs. Texts contain their templates already.
   * @param runSecrets names of the secrets in the run, if they differ
   */
  constructor(knownValues: readonly KnownValue[], secrets: readonly string[], runSecrets = secrets) {
    const byValue = new Map<string, Set<string>>();
    for (const { template, value } of knownValues) {
      if (typeof value !== 'string' && typeof value !== 'number') continue;
      const text = String(value);
      if (text.trim() !== '') byValue.set(text, new Set([...(byValue.get(text) ?? []), template]));
    }
    this.byValue = byValue;
    this.secrets = new Set(secrets);
    this.runSecrets = new Set(runSecrets);
    const embeddable = [...byValue.keys()].filter(
      (text) => text.length >= MIN_EMBEDDED_CHARS && this.templateOf(text) !== null,
    );
    embeddable.sort((a, b) => b.length - a.length);
    this.embeddedValues = wholeWords(embeddable, 'g');
  }

  /** True if the run has inputs that may change. */
  get hasInputs(): boolean {
    return this.byValue.size > 0;
  }

  /** Converts a literal text to a template that renders to the same text with the same inputs. */
  text(text: string): string {
    const wholeTemplate = this.templateOf(text);
    if (wholeTemplate !== null) return wholeTemplate;
    // Only placeholders of secrets are templates. Other braces are typed text.
    const parts = text.split(PLACEHOLDERS);
    const isTemplate = (index: number) => index % 2 === 1 && this.isSecret(parts[index] ?? '');
    return parts
      .map((part, index) => (isTemplate(index) ? part : this.templatizePart(part, isTemplate(index + 1))))
      .join('');
  }

  /** Converts every string in a value. */
  json<Value>(value: Value): Value {
    if (typeof value === 'string') return this.text(value) as Value;
    if (Array.isArray(value)) return value.map((item: unknown) => this.json(item)) as Value;
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, this.json<unknown>(child)])) as Value;
  }

  /** True if a text contains an input value. */
  containsInput(text: string): boolean {
    return containsMask(text) || this.text(text) !== escapeTemplates(text);
  }

  /** True if a secret in a value did not become a template. The next run would type its name instead. */
  hasUntemplatedSecret(value: unknown): boolean {
    let isLost = false;
    forEachString(this.json(value), (text) => {
      for (const [, braces = ''] of text.matchAll(ESCAPED_BRACES))
        if (inputPlaceholdersIn(braces).some((name) => this.runSecrets.has(name))) isLost = true;
    });
    return isLost;
  }

  /** True if a secret directly follows an open brace in a value, where a template is not possible. */
  hasSecretAfterBrace(value: unknown): boolean {
    let braces = false;
    forEachString(value, (text) => {
      const parts = text.split(PLACEHOLDERS);
      braces ||= parts.some(
        (part, index) => index % 2 === 1 && this.isSecret(part) && endsWithOpenBrace(parts[index - 1] ?? ''),
      );
    });
    return braces;
  }

  /** True if an input value directly follows an open brace, where a template is not possible. */
  hasInputAfterBrace(text: string): boolean {
    return [...(this.embeddedValues ? text.matchAll(this.embeddedValues) : [])].some(({ index }) =>
      endsWithOpenBrace(text.slice(0, index)),
    );
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

  /** @param isBeforeTemplate a template follows */
  private templatizePart(text: string, isBeforeTemplate: boolean): string {
    let result = '';
    let start = 0;
    for (const match of this.embeddedValues ? text.matchAll(this.embeddedValues) : []) {
      // A text after an open brace is not replaced.
      if (endsWithOpenBrace(text.slice(0, match.index))) continue;
      result += escapeBeforeTemplate(text.slice(start, match.index)) + (this.templateOf(match[0]) ?? '');
      start = match.index + match[0].length;
    }
    const rest = text.slice(start);
    return result + (isBeforeTemplate ? escapeBeforeTemplate(rest) : escapeTemplates(rest));
  }
}

/** True if a text contained a secret that was masked. */
export const containsMask = (text: string): boolean => text.includes(MASK);
