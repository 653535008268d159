import type { Rectangle } from '../x/rectangle.ts';

/** A word in an image. */
interface ScreenWord {
  readonly text: string;
  /** Pixels of the screen. */
  readonly bounds: Rectangle;
  /** False: tesseract is not sure of the text, for example because a caret touches it. */
  readonly isCertain: boolean;
}

/** A line of text in an image. At least one word is certain. */
export interface ScreenLine {
  readonly words: readonly ScreenWord[];
}

/** Confidence of tesseract, in percent, below which a word is uncertain. */
const MIN_CONFIDENCE = 30;

const MAX_LINES = 2_000;
/** Maximum number of certain words of a line, and of uncertain ones. */
const MAX_WORDS_PER_LINE = 100;

/** Level of words in the TSV of tesseract. */
const WORD_LEVEL = '5';

/**
 * Reads the TSV output of tesseract.
 * @param scale by which the image was enlarged
 * @param origin place of the image on the screen
 */
export function parseTesseractTsv(tsv: string, scale: number, origin: { x: number; y: number }): ScreenLine[] {
  const lines = new Map<string, ScreenWord[]>();
  for (const row of tsv.split('\n')) {
    const [level, page, block, paragraph, line, , left, top, width, height, confidence, text = ''] = row.split('\t');
    if (level !== WORD_LEVEL || text.trim() === '') continue;
    const key = [page, block, paragraph, line].join('.');
    const words = lines.get(key) ?? [];
    const isCertain = Number(confidence) >= MIN_CONFIDENCE;
    if (words.filter((word) => word.isCertain === isCertain).length >= MAX_WORDS_PER_LINE) continue;
    const [x, y, w, h] = [left, top, width, height].map((value) => Math.round(Number(value) / scale));
    words.push({
      text: text.trim(),
      isCertain,
      bounds: { x: origin.x + (x ?? 0), y: origin.y + (y ?? 0), width: w ?? 0, height: h ?? 0 },
    });
    lines.set(key, words);
  }
  const readable = [...lines.values()].filter((words) => words.some(({ isCertain }) => isCertain));
  return readable.slice(0, MAX_LINES).map((words) => ({ words }));
}

/** The certain words of a line. */
export const textOfLine = (line: ScreenLine): string => joinWords(certainWordsOf(line));

const certainWordsOf = ({ words }: ScreenLine) => words.filter(({ isCertain }) => isCertain);

const joinWords = (words: readonly ScreenWord[]): string => words.map(({ text }) => text).join(' ');

/**
 * Finds a text in lines. Also matches uncertain words, because a word that equals the text is probably correct.
 * @param isExact the whole line with its case; otherwise a part of it, case-insensitive
 * @returns bounds of the words that contain it
 */
export function findScreenText(lines: readonly ScreenLine[], sought: string, isExact: boolean): Rectangle[] {
  const wanted = sought.replace(/\s+/g, ' ').trim();
  if (wanted === '') return [];
  return lines.flatMap((line) => {
    for (const words of [certainWordsOf(line), line.words]) {
      const runs = isExact ? [words].filter(() => joinWords(words) === wanted) : runsWith(words, wanted.toLowerCase());
      if (runs.length > 0) return runs.map(boundsOf);
    }
    return [];
  });
}

/** The shortest runs of words that hold a text; they do not overlap. */
function runsWith(words: readonly ScreenWord[], wanted: string): ScreenWord[][] {
  const runs: ScreenWord[][] = [];
  let start = 0;
  for (let end = 1; end <= words.length; end += 1) {
    const holds = (first: number) => joinWords(words.slice(first, end)).toLowerCase().includes(wanted);
    if (!holds(start)) continue;
    while (start + 1 < end && holds(start + 1)) start += 1;
    runs.push(words.slice(start, end));
    start = end;
  }
  return runs;
}

function boundsOf(words: readonly ScreenWord[]): Rectangle {
  const x = Math.min(...words.map(({ bounds }) => bounds.x));
  const y = Math.min(...words.map(({ bounds }) => bounds.y));
  const right = Math.max(...words.map(({ bounds }) => bounds.x + bounds.width));
  const bottom = Math.max(...words.map(({ bounds }) => bounds.y + bounds.height));
  return { x, y, width: right - x, height: bottom - y };
}
