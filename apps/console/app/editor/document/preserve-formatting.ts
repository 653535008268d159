import { readYaml } from '@pilothouse/core/yaml';
import { diffLines } from '../../shared/line-diff.ts';

/** Longest text whose layout is kept, in lines: comparing a longer one would be felt with each letter. */
const MOST_LINES = 1000;

/** Lines as people wrote them, and as the house prints the same. */
interface Span {
  own: string[];
  house: string[];
}

/**
 * A text after a change, laid out as before wherever nothing was changed.
 * @param written as people wrote it @param printed the same as the house prints it @param changed that, after the change
 */
export function keepLayout(written: string, printed: string, changed: string): string {
  if (written === printed || written.split('\n').length > MOST_LINES) return changed;
  const spans = spansOf(written, printed);
  const known = new Map(
    spans.flatMap(({ own, house }) =>
      own.length === house.length ? house.map((line, index) => [line.trim(), own[index]?.trim() ?? ''] as const) : [],
    ),
  );
  /** What only stands elsewhere now has the words of before. */
  const moved = (line: string) => line.replace(/\S.*$/, (words) => known.get(words.trimEnd()) ?? words);
  const changes = diffLines(printed, changed);
  const lines: string[] = [];
  let at = 0;
  const takeAdded = () => {
    for (let next = changes[at]; next?.kind === 'added'; next = changes[at]) {
      lines.push(moved(next.text));
      at += 1;
    }
  };
  for (const { own, house } of spans) {
    takeAdded();
    const from = at;
    for (let left = house.length; left > 0 && at < changes.length; at += 1)
      if (changes[at]?.kind !== 'added') left -= 1;
    const here = changes.slice(from, at);
    if (here.every(({ kind }) => kind === 'same')) lines.push(...own);
    else
      for (const { kind, text } of here) {
        if (kind === 'same') lines.push(text);
        if (kind === 'added') lines.push(moved(text));
      }
  }
  takeAdded();
  const kept = `${lines.join('\n')}\n`;
  return saysTheSame(kept, changed) ? kept : changed;
}

/** What of one text is what of the other: a line each, where they are the same. */
function spansOf(written: string, printed: string): Span[] {
  const spans: Span[] = [];
  let block: Span | null = null;
  for (const { kind, text } of diffLines(written, printed)) {
    if (kind === 'same') {
      spans.push({ own: [text], house: [text] });
      block = null;
    } else {
      if (!block) spans.push((block = { own: [], house: [] }));
      block[kind === 'removed' ? 'own' : 'house'].push(text);
    }
  }
  return spans;
}

function saysTheSame(text: string, other: string): boolean {
  try {
    return JSON.stringify(readYaml(text)?.value) === JSON.stringify(readYaml(other)?.value);
  } catch {
    return false;
  }
}
