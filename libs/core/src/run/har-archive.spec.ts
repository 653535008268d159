import { harSchema, type HarEntry } from '@pilothouse/contract/run/capture.schema';
import { buildHar } from './har-archive.ts';
import { MASK, Masker } from '../secret/secret-masker.ts';

const secret = 'p@ss w&rd';
const pair = (name: string, value: string) => ({ name, value });

const entry = (request: Partial<HarEntry['request']>, response: Partial<HarEntry['response']> = {}): HarEntry => ({
  startedDateTime: '2026-01-01T00:00:00.000Z',
  time: 5,
  request: {
    method: 'GET',
    url: 'https://shop.test/',
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: [],
    queryString: [],
    headersSize: -1,
    bodySize: 0,
    ...request,
  },
  response: {
    status: 200,
    statusText: 'OK',
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: [],
    content: { size: 0, mimeType: 'text/html' },
    redirectURL: '',
    headersSize: -1,
    bodySize: 0,
    ...response,
  },
  cache: {},
  timings: { blocked: -1, dns: -1, connect: -1, ssl: -1, send: 0, wait: 1, receive: 1 },
});

function serialize(input: HarEntry): { entry: HarEntry; text: string } {
  const masker = new Masker();
  masker.add(secret);
  const har = buildHar([input], masker, '1.0.0');
  const text = JSON.stringify(har);
  return { entry: harSchema.parse(JSON.parse(text)).log.entries[0] as HarEntry, text };
}

test.each<[string, HarEntry]>([
  ['the address', entry({ url: `https://shop.test/?q=${encodeURIComponent(secret)}` })],
  ['a header', entry({ headers: [pair('x-note', secret)] })],
  ['the name of a header', entry({ headers: [pair(`x-${secret}`, '1')] })],
  ['the name of a parameter', entry({ queryString: [pair(secret, '1')] })],
  ['the name of a cookie', entry({ cookies: [pair(secret, '1')] })],
  [
    'a key of JSON',
    entry({ postData: { mimeType: 'application/json', params: [], text: JSON.stringify({ [secret]: 1 }) } }),
  ],
  ['a query', entry({ queryString: [pair('q', secret)] })],
  [
    'a form',
    entry({
      postData: {
        mimeType: 'application/x-www-form-urlencoded',
        params: [pair('note', secret)],
        text: new URLSearchParams({ note: secret }).toString(),
      },
    }),
  ],
  ['JSON', entry({ postData: { mimeType: 'application/json', params: [], text: JSON.stringify({ a: [secret] }) } })],
  ['a response', entry({}, { content: { size: 1, mimeType: 'text/html', text: `<b>p@ss w&amp;rd</b>${secret}` } })],
  ['a redirection', entry({}, { redirectURL: `/next?x=${encodeURIComponent(secret)}` })],
])('a secret of the run is masked in %s', (_, input) => {
  const { text } = serialize(input);
  expect(text).toContain(MASK);
  for (const trace of ['p@ss', 'p%40ss', 'w&rd', 'w%26rd', 'w&amp;rd']) expect(text).not.toContain(trace);
});

test.each<[string, HarEntry]>([
  ['Cookie', entry({ headers: [pair('Cookie', 'sid=abc123')], cookies: [pair('sid', 'abc123')] })],
  ['Set-Cookie', entry({}, { headers: [pair('set-cookie', 'sid=abc123')], cookies: [pair('sid', 'abc123')] })],
  ['Authorization', entry({ headers: [pair('authorization', 'Bearer abc123')] })],
  ['X-Api-Key', entry({ headers: [pair('X-Api-Key', 'abc123')] })],
  ['a token in an address', entry({ url: 'https://shop.test/?a=1&access_token=abc123#id_token=abc123' })],
  ['a token in a Referer', entry({ headers: [pair('Referer', 'https://shop.test/?token=abc123')] })],
  [
    'a password in a form',
    entry({
      postData: {
        mimeType: 'application/x-www-form-urlencoded',
        params: [pair('password', 'abc123')],
        text: 'password=abc123&x=1',
      },
    }),
  ],
  [
    'a token in JSON',
    entry({}, { content: { size: 1, mimeType: 'application/json', text: '{"a":{"accessToken":"abc123"}}' } }),
  ],
])('values with sensitive names are masked: %s', (_, input) => {
  expect(serialize(input).text).not.toContain('abc123');
});

test('other values and all names are unchanged', () => {
  const original = entry(
    { url: 'https://shop.test/?tokens=5&page=2', headers: [pair('accept', '*/*')], cookies: [pair('sid', 'x')] },
    { content: { size: 9, mimeType: 'text/plain', text: 'content' } },
  );
  const { entry: serialized } = serialize(original);
  expect(serialized).toEqual({ ...original, request: { ...original.request, cookies: [pair('sid', MASK)] } });
});
