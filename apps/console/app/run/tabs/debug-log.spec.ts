import { MAX_ROWS, debugLogKind, parseDebugLog } from './debug-log.ts';

test.each([
  ['trace', 'console-1.jsonl', 'console'],
  ['trace', 'network-2.har', 'network'],
  ['download', 'console-1.jsonl', undefined],
  ['trace', 'model-1.jsonl', undefined],
] as const)('a %s %s is %s', (kind, name, expected) => expect(debugLogKind({ kind, name })).toBe(expected));

test('a long console log shows its end', () => {
  const text = Array.from({ length: MAX_ROWS + 2 }, (_, n) => `${JSON.stringify({ text: String(n) })}\n`).join('');
  const { rows, more } = parseDebugLog('console', `${text}{"leftOut":7}\n`);
  expect([rows.length, rows.at(-1), more]).toEqual([MAX_ROWS, { text: String(MAX_ROWS + 1) }, 9]);
  expect(parseDebugLog('console', '')).toEqual({ kind: 'console', rows: [], more: 0 });
});

test('a request is one row', () => {
  const entry = {
    startedDateTime: '2026-01-01T00:00:00.000Z',
    time: 12.5,
    request: { method: 'GET', url: 'http://harbour.example/' },
    response: { status: 200, statusText: 'OK', content: { size: 512, mimeType: 'text/html; charset=utf-8' } },
  };
  expect(parseDebugLog('network', JSON.stringify({ log: { entries: [entry] } })).rows).toEqual([
    {
      at: entry.startedDateTime,
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
