import { MAX_ROWS, parseDebugLog } from './parse-debug-log.server.ts';

const START = Date.parse('2026-01-01T00:00:00.000Z');
const line = (n: number) => ({
  at: new Date(START + n).toISOString(),
  type: 'log',
  text: String(n),
  page: '',
  location: null,
});
const consoleLog = (...lines: unknown[]) => lines.map((entry) => `${JSON.stringify(entry)}\n`).join('');
const numbers = (count: number) => Array.from({ length: count }, (_, n) => line(n));

test('a long console log shows its end', () => {
  const { rows, hiddenCount, omitted } = parseDebugLog('console', consoleLog(...numbers(MAX_ROWS + 2), { leftOut: 7 }));
  expect([rows.length, rows.at(-1), hiddenCount, omitted]).toEqual([MAX_ROWS, line(MAX_ROWS + 1), 2, 7]);
  expect(parseDebugLog('console', '')).toMatchObject({ rows: [], hiddenCount: 0, omitted: 0, damaged: 0 });
});

test('a time window of a console log keeps the number of omitted lines', () => {
  const text = consoleLog(...numbers(20), { leftOut: 7 });
  const { rows, hiddenCount, omitted } = parseDebugLog('console', text, { start: START + 5, end: START + 6 });
  expect([rows, hiddenCount, omitted]).toEqual([[line(5), line(6)], 0, 7]);
});

test.each([
  ['a line that ends early', '{"at":"2026-'],
  ['a line that is no object', '7'],
  ['a line without a text', JSON.stringify({ at: '2026-01-01T00:00:00.000Z' })],
])('%s is counted, and the others are shown', (_, damagedLine) => {
  const { rows, damaged } = parseDebugLog('console', `${consoleLog(line(0))}${damagedLine}\n${consoleLog(line(1))}`);
  expect([rows, damaged]).toEqual([[line(0), line(1)], 1]);
});

test.each(['', '{"log":', '[]', '{"log":{"entries":7}}'])('the damaged network log %j is reported', (text) => {
  expect(() => parseDebugLog('network', text)).toThrow('The network log is damaged. Download it to read it.');
});

test('a request is one row', () => {
  const entry = {
    startedDateTime: '2026-01-01T00:00:00.000Z',
    time: 12.5,
    request: { method: 'GET', url: 'http://harbour.example/' },
    response: { status: 200, statusText: 'OK', content: { size: 512, mimeType: 'text/html; charset=utf-8' } },
  };
  const log = { entries: [entry, null, { request: {} }], comment: '3 more requests were dropped' };
  const { rows, damaged, comment } = parseDebugLog('network', JSON.stringify({ log }));
  expect([damaged, comment]).toEqual([2, '3 more requests were dropped']);
  expect(rows).toEqual([
    {
      startedAt: entry.startedDateTime,
      method: 'GET',
      url: 'http://harbour.example/',
      status: 200,
      statusText: 'OK',
      type: 'text/html',
      size: 512,
      ms: 12.5,
    },
  ]);
});
