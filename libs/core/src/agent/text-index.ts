import { characterKind, hasWordsAt, numbersIn, wordEnd } from './observed-text.ts';

/* Search for many values in one text. Its cost grows with the text and with the values, but not with their product. */

/** Work that a search may do. One unit takes about ten nanoseconds. */
export class SearchBudget {
  private units: number;

  constructor(units: number) {
    this.units = units;
  }

  /** Takes units of the budget. @returns false: too few are left, and none is taken */
  spend(units: number): boolean {
    if (units > this.units) return false;
    this.units -= units;
    return true;
  }
}

/** Units to index a character of a text, to compare a position, and to compare a character there. */
const INDEX_UNITS = 10;
const POSITION_UNITS = 5;
const CHARACTER_UNITS = 0.05;

/** Result of a search; null: the budget did not suffice. */
type SearchResult = boolean | null;

/** Positions of words in a text. */
type Positions = ReadonlyMap<string, readonly number[]>;

/** Positions of a part of a text, and its offset in this text. */
interface Candidates {
  readonly positions: readonly number[];
  readonly offset: number;
}

const NO_CANDIDATES: Candidates = { positions: [], offset: 0 };

/** A normalized text in which many values are searched. Its parts are indexed with the first search that needs them. */
export class TextIndex {
  private readonly text: string;
  private readonly results = new Map<string | number, SearchResult>();
  private numbers: ReadonlySet<number> | null = null;
  private words: Positions | null = null;
  private letters: Positions | null = null;

  constructor(text: string) {
    this.text = text;
  }

  /** True if the text contains a normalized string as whole words, as `hasWords`, or a number in any notation, as `hasNumber`. */
  has(value: string | number, budget: SearchBudget): SearchResult {
    const known = this.results.get(value);
    if (known !== undefined && known !== null) return known;
    const result = typeof value === 'number' ? this.hasNumber(value, budget) : this.hasWords(value, budget);
    this.results.set(value, result);
    return result;
  }

  private hasNumber(value: number, budget: SearchBudget): SearchResult {
    if (this.numbers === null) {
      if (!budget.spend(this.text.length * INDEX_UNITS)) return null;
      this.numbers = new Set(numbersIn(this.text));
    }
    return this.numbers.has(value);
  }

  private hasWords(words: string, budget: SearchBudget): SearchResult {
    if (words === '') return false;
    const candidates = this.candidatesOf(words, budget);
    if (candidates === null) return null;
    for (const start of candidates.positions) {
      const position = start - candidates.offset;
      if (!budget.spend(POSITION_UNITS + words.length * CHARACTER_UNITS)) return null;
      if (this.text.startsWith(words, position) && hasWordsAt(this.text, words, position)) return true;
    }
    return false;
  }

  /** Positions at which a text may begin: those of its rarest word, or of its rarest character of a script without spaces. */
  private candidatesOf(words: string, budget: SearchBudget): Candidates | null {
    let rarest: Candidates | null = null;
    for (const { part, offset, isSpaced } of partsOf(words)) {
      const index = isSpaced ? this.wordIndex(budget) : this.letterIndex(budget);
      if (index === null) return null;
      const positions = index.get(part) ?? [];
      if (positions.length === 0) return NO_CANDIDATES;
      if (rarest === null || positions.length < rarest.positions.length) rarest = { positions, offset };
    }
    return rarest ?? this.firstOccurrence(words, budget);
  }

  /** Position of a text without letters and digits, which needs no whole words. */
  private firstOccurrence(words: string, budget: SearchBudget): Candidates | null {
    if (!budget.spend(this.text.length * words.length * CHARACTER_UNITS)) return null;
    const position = this.text.indexOf(words);
    return position === -1 ? NO_CANDIDATES : { positions: [position], offset: 0 };
  }

  private wordIndex(budget: SearchBudget): Positions | null {
    if (this.words === null && budget.spend(this.text.length * INDEX_UNITS)) this.words = positionsOf(this.text, true);
    return this.words;
  }

  private letterIndex(budget: SearchBudget): Positions | null {
    if (this.letters === null && budget.spend(this.text.length * INDEX_UNITS))
      this.letters = positionsOf(this.text, false);
    return this.letters;
  }
}

interface TextPart {
  readonly part: string;
  readonly offset: number;
  /** A whole word; otherwise a character of a script without spaces. */
  readonly isSpaced: boolean;
}

/** Words of a text, and its characters of scripts without spaces. */
function* partsOf(text: string): Generator<TextPart> {
  for (let offset = 0; offset < text.length; offset += 1) {
    const kind = characterKind(text, offset);
    if (kind === 'unspaced') yield { part: text.charAt(offset), offset, isSpaced: false };
    if (kind !== 'spaced') continue;
    const end = wordEnd(text, offset);
    yield { part: text.slice(offset, end), offset, isSpaced: true };
    offset = end - 1;
  }
}

/** @param isSpaced true: of the words; false: of the characters of scripts without spaces */
function positionsOf(text: string, isSpaced: boolean): Positions {
  const index = new Map<string, number[]>();
  for (const { part, offset, isSpaced: isWord } of partsOf(text)) {
    if (isWord !== isSpaced) continue;
    const positions = index.get(part);
    if (positions) positions.push(offset);
    else index.set(part, [offset]);
  }
  return index;
}
