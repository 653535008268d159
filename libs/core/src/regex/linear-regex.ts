import { RE2JS } from 're2js';
import { PatternError, toRe2 } from './re2-pattern.ts';

export { PatternError } from './re2-pattern.ts';

/*
 * Regular expressions from workflows, requests and pages run on RE2, whose time is linear in the length of the text. Patterns are ECMAScript
 * with the flag `u`. Differences:
 *
 * - look-around, back-references and inline flags are rejected;
 * - a repetition repeats at most 1,000 times, including nested repetitions;
 * - group names have ASCII letters, digits and `_`;
 * - Unicode properties are general categories, scripts and the binary properties of RE2;
 * - a group inside a repetition keeps its last match.
 */

/** Maximum characters of a pattern. */
export const MAX_PATTERN_CHARS = 1000;

/** Maximum instructions of a compiled pattern. `[a-z]{1,1000}` has about 2,000. */
export const MAX_PATTERN_SIZE = 2500;

/** Maximum instructions × characters of one call: in the worst case about a quarter of a second. */
export const MAX_MATCH_STEPS = 20_000_000;

/** Maximum number of cached patterns (least recently used). */
const MAX_COMPILED = 100;

/** Steps after which a pattern is compiled again, because its states use memory. */
const RENEW_STEPS = 2_000_000;

/** A match: the whole text at 0, then the groups. An unused group is undefined. */
export interface PatternMatch {
  readonly index: number;
  readonly texts: readonly (string | undefined)[];
  readonly groups: Readonly<Record<string, string | undefined>>;
}

/** A regular expression whose time is linear in the length of the text. */
export interface LinearPattern {
  readonly source: string;
  readonly flags: string;
  /** Instructions: the cost of one character. */
  readonly size: number;
  /** @throws PatternError when the text is too long for a pattern of this size */
  test(text: string): boolean;
  /** The leftmost match. @throws PatternError when the text is too long for a pattern of this size */
  exec(text: string): PatternMatch | null;
}

const patternCache = new Map<string, CompiledPattern>();

/**
 * Compiles a pattern, with a cache.
 * @param flags `i` ignores case, `s` lets `.` match line ends, `u` is always on
 * @throws PatternError with the unsupported construct or exceeded limit, and how to fix it
 */
export function compilePattern(source: string, flags = ''): LinearPattern {
  const key = `${flags}/${source}`;
  const cachedPattern = patternCache.get(key);
  if (cachedPattern) patternCache.delete(key);
  const pattern = cachedPattern ?? new CompiledPattern(source, flags);
  patternCache.set(key, pattern);
  if (patternCache.size > MAX_COMPILED) patternCache.delete(patternCache.keys().next().value ?? '');
  return pattern;
}

/** Reason why a pattern is not supported, as a sentence; null: it is supported. */
export function patternProblem(source: string, flags = ''): string | null {
  try {
    compilePattern(source, flags);
    return null;
  } catch (thrown) {
    if (thrown instanceof PatternError) return thrown.message;
    throw thrown;
  }
}

class CompiledPattern implements LinearPattern {
  private engine: RE2JS;
  private steps = 0;
  readonly source: string;
  readonly flags: string;
  readonly size: number;

  constructor(source: string, flags: string) {
    validateSyntax(source, flags);
    this.source = source;
    this.flags = flags;
    this.engine = this.compile();
    this.size = this.engine.programSize();
    if (this.size > MAX_PATTERN_SIZE)
      throw new PatternError(
        `The pattern is too large: its repetitions expand to ${this.size} parts, more than ${MAX_PATTERN_SIZE}. Use * or + instead of large counts.`,
      );
  }

  test(text: string): boolean {
    return this.engineFor(text).test(text);
  }

  exec(text: string): PatternMatch | null {
    const match = this.engineFor(text).exec(text) as RegExpExecArray | null;
    return match && { index: match.index, texts: [...match], groups: match.groups ?? {} };
  }

  private engineFor(text: string): RE2JS {
    const steps = this.size * text.length;
    if (steps > MAX_MATCH_STEPS)
      throw new PatternError(
        `The text has ${text.length} characters; this pattern supports at most ${Math.floor(MAX_MATCH_STEPS / this.size)}. Simplify the pattern, or read a smaller part.`,
      );
    this.steps += steps;
    if (this.steps > RENEW_STEPS) {
      this.engine = this.compile();
      this.steps = steps;
    }
    return this.engine;
  }

  private compile(): RE2JS {
    const { source, flags } = this;
    try {
      return RE2JS.compile(toRe2(source, flags.includes('s')), flags.includes('i') ? RE2JS.CASE_INSENSITIVE : 0);
    } catch (thrown) {
      if (thrown instanceof PatternError) throw thrown;
      throw new PatternError(describeRefusal(thrown));
    }
  }
}

/** Validates with the ECMAScript parser, which does not match. */
function validateSyntax(source: string, flags: string): void {
  if (source.length > MAX_PATTERN_CHARS)
    throw new PatternError(
      `The pattern has ${source.length} characters, more than ${MAX_PATTERN_CHARS}: make it shorter`,
    );
  if (!/^[isu]*$/.test(flags)) throw new PatternError(`The flags ${flags} are not supported: use only i, s and u`);
  try {
    new RegExp(source, 'u');
  } catch (thrown) {
    throw new PatternError(`Not a regular expression: ${(thrown as Error).message}`);
  }
}

const refusals: readonly [RegExp, string][] = [
  [
    /repeat count|too large/,
    'A repetition can have a count of at most 1,000, with nested ones multiplied: use * or + instead',
  ],
  [/nesting/, 'The pattern has too many nested groups: simplify it'],
  [
    /character class range/,
    'This Unicode property is not supported: use a general category such as \\p{L}, or a script such as \\p{Greek}',
  ],
  [/named capture|group name/, 'A group name must be unique, with ASCII letters, digits and _'],
];

function describeRefusal(thrown: unknown): string {
  const { message } = thrown as Error;
  const refusal = refusals.find(([form]) => form.test(message));
  return refusal ? refusal[1] : `The pattern is not supported: ${message}`;
}
