import type { ArtifactKind } from '@pilothouse/contract/run/artifact.schema';
import { sniffContentType } from './detect-content-type.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const webm = Buffer.from('1a45dfa39f4286810142f7810142f2810442f381084282847765626d42878104428581021853806701', 'hex');
const pdf = Buffer.from('%PDF-1.7\n%\u00e2\u00e3\n1 0 obj\n', 'latin1');
const xsl = Buffer.from('<?xml version="1.0"?><xsl:stylesheet xmlns:xsl="http://www.w3.org/1999/XSL/Transform"/>');
const html = Buffer.from('<!doctype html><script>alert(1)</script>');
const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>');

const cases: [kind: ArtifactKind | null, name: string, head: Buffer, type: string][] = [
  ['screenshot', 'a.png', png, 'image/png'],
  ['screenshot', 'a.html', png, 'image/png'],
  ['screenshot', 'a.png', html, 'application/octet-stream'],
  ['screenshot', 'a.png', pdf, 'application/octet-stream'],
  ['screenshot', 'a.png', webm, 'application/octet-stream'],
  ['screenshot', 'a.png', Buffer.alloc(0), 'application/octet-stream'],
  ['video', 'a.webm', webm, 'video/webm'],
  ['video', 'a.mp4', png, 'application/octet-stream'],
  ['download', 'a.pdf', pdf, 'application/pdf'],
  ['download', 'a.txt', pdf, 'application/pdf'],
  ['download', 'a.xsl', xsl, 'application/octet-stream'],
  ['download', 'a.png', xsl, 'application/octet-stream'],
  ['download', 'a.svg', svg, 'text/plain'],
  ['download', 'a.html', html, 'text/plain'],
  ['download', 'a.js', Buffer.from('alert(1)'), 'text/plain'],
  ['download', 'a.csv', Buffer.from('a,b\r\n1,\u00fc'), 'text/csv'],
  ['download', 'a.bin', Buffer.from([1, 2, 3]), 'application/octet-stream'],
  ['trace', 'a.har', Buffer.from('{"log":{}}'), 'application/json'],
  ['trace', 'console-1.jsonl', Buffer.from('{"a":1}\n'), 'application/x-ndjson'],
  ['turn', 'turn-0-1.json', Buffer.from('{"a":1}'), 'application/json'],
  ['turn', 'turn-0-1.jpg', png, 'application/octet-stream'],
  ['trace', 'image.jpg', png, 'image/png'],
  [null, 'a.json', Buffer.from('{}'), 'application/json'],
];

test.each(cases)('a %s with the name %s', async (kind, name, head, type) =>
  expect(await sniffContentType({ kind, name, head })).toBe(type),
);

test('a truncated character at the end does not change the type of a text', async () => {
  const head = Buffer.from('grö').subarray(0, 3);
  expect(await sniffContentType({ kind: 'data', name: 'a', head })).toBe('text/plain');
});
