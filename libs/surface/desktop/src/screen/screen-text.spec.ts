import { findScreenText, parseTesseractTsv, textOfLine } from './screen-text.ts';

const word = (line: number, index: number, x: number, confidence: number, text: string) =>
  ['5', '1', '1', '1', line, index, x, 20 * line, 40, 16, confidence, text].join('\t');
const TSV = [
  'level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext',
  ['4', '1', '1', '1', '1', '0', 0, 20, 200, 16, -1, ''].join('\t'),
  word(1, 1, 0, 96, 'Save'),
  word(1, 2, 60, 91.5, 'as'),
  word(1, 3, 120, 88, 'Save'),
  word(2, 1, 0, 12, '~~'),
  word(2, 2, 60, 77, 'Cancel'),
  // A caret touches the first word.
  word(3, 1, 0, 0, 'first'),
  word(3, 2, 60, 96, 'line'),
  word(4, 1, 0, 3, 'ji'),
  word(5, 1, 0, 90, 'Print'),
  word(5, 2, 60, 12, '~~'),
  word(5, 3, 120, 90, 'Page'),
].join('\n');
const lines = parseTesseractTsv(TSV, 2, { x: 100, y: 200 });

test('words are grouped to lines on the screen, and uncertain ones are left out of the text', () => {
  expect(lines.map(textOfLine)).toEqual(['Save as Save', 'Cancel', 'line', 'Print Page']);
  expect(lines[0]?.words[1]?.bounds).toEqual({ x: 130, y: 210, width: 20, height: 8 });
});

test.each([
  ['save', false, [100, 160]],
  ['SAVE  as', false, [100]],
  ['cance', false, [130]],
  ['first line', false, [100]],
  ['first line', true, [100]],
  ['line', true, [130]],
  ['print page', false, [100]],
  ['Print Page', true, [100]],
  ['ji', false, []],
  ['Save as Save', true, [100]],
  ['save as save', true, []],
  ['  ', false, []],
])('%j, exact %s, is at %j', (text, isExact, found) =>
  expect(findScreenText(lines, text, isExact).map(({ x }) => x)).toEqual(found),
);
