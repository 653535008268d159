import { readYaml } from '@pilothouse/core/workflow/parse-yaml';
import { diffLines } from '@pilothouse/core/workflow/line-diff';

/** Maximum length of a text whose formatting is preserved, in lines. Comparing a longer text would delay typing. */
const MAX_LINES = 1000;

/** Lines of the source, and the same lines in the format of the console. */
interface Span {
  source: string[];
  printed: string[];
}

/**
 * Formats an edited text like its source wherever nothing changed.
 * @param source the source text
 * @param printed the source in the format of the console
 * @param edited `printed` after the edit
 */
export function preserveFormatting(source: string, printed: string, edited: string): string {
  if (source === printed || source.split('\n').length > MAX_LINES) return edited;
  const spans = spansOf(source, printed);
  const sourceLines = new Map(
    spans.flatMap(({ source, printed }) =>
      source.length === printed.length
        ? printed.map((line, index) => [line.trim(), source[index]?.trim() ?? ''] as const)
        : [],
    ),
  );
  /** Restores the source formatting of a moved line. */
  const restored = (line: string) => line.replace(/\S.*$/, (content) => sourceLines.get(content.trimEnd()) ?? content);
  const changes = diffLines(printed, edited);
  const lines: string[] = [];
  let position = 0;
  const pushAdded = () => {
    for (let next = changes[position]; next?.kind === 'added'; next = changes[position]) {
      lines.push(restored(next.text));
      position += 1;
    }
  };
  for (const { source, printed } of spans) {
    pushAdded();
    const start = position;
    for (let remaining = printed.length; remaining > 0 && position < changes.length; position += 1)
      if (changes[position]?.kind !== 'added') remaining -= 1;
    const spanChanges = changes.slice(start, position);
    if (spanChanges.every(({ kind }) => kind === 'same')) lines.push(...source);
    else
      for (const { kind, text } of spanChanges) {
        if (kind === 'same') lines.push(text);
        if (kind === 'added') lines.push(restored(text));
      }
  }
  pushAdded();
  const result = `${lines.join('\n')}\n`;
  return isSameYaml(result, edited) ? result : edited;
}

/** Pairs the lines of two texts. Equal lines form spans of their own. */
function spansOf(source: string, printed: string): Span[] {
  const spans: Span[] = [];
  let block: Span | null = null;
  for (const { kind, text } of diffLines(source, printed)) {
    if (kind === 'same') {
      spans.push({ source: [text], printed: [text] });
      block = null;
    } else {
      if (!block) spans.push((block = { source: [], printed: [] }));
      block[kind === 'removed' ? 'source' : 'printed'].push(text);
    }
  }
  return spans;
}

function isSameYaml(text: string, otherText: string): boolean {
  try {
    return JSON.stringify(readYaml(text)?.value) === JSON.stringify(readYaml(otherText)?.value);
  } catch {
    return false;
  }
}
