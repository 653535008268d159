import { MAX_PARSED_ELEMENTS } from '@pilothouse/contract/observation/screen-parse.schema';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { TestServer } from '@pilothouse/testing/test-server';
import { OmniParser } from './omni-parser.ts';

/* The client against a real HTTP server that answers as an OmniParser server does, or badly. */

const JPEG = Buffer.from('ffd8ffe0', 'hex');
const button = { type: 'icon', bbox: [0.1, 0.2, 0.3, 0.25], interactivity: true, content: 'Save' };

let server: TestServer;
let url: string;
let answer: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

beforeAll(async () => {
  server = new TestServer((request, response) => void answer(request, response));
  await server.start();
  url = server.origin;
});
afterAll(() => server.stop());

const sendJson = (value: unknown) => (_: IncomingMessage, response: ServerResponse) => {
  response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
};
const sendBoxes = (...boxes: unknown[]) =>
  sendJson({ som_image_base64: 'aGk=', parsed_content_list: boxes, latency: 1 });
const parse = (address = url, timeoutMs = 5_000, signal = new AbortController().signal) =>
  new OmniParser({ url: address, timeoutMs }).parse(JPEG, signal);

test('sends the screenshot in base64, and returns the elements', async () => {
  let received: unknown;
  answer = async (request, response) => {
    received = { method: request.method, path: request.url, body: JSON.parse(await text(request)) as unknown };
    sendBoxes(button, { type: 'text', bbox: [0, 0, 0.5, 0.1], interactivity: false, content: ' File ' })(
      request,
      response,
    );
  };
  expect(await parse(`${url}/`)).toEqual([
    { kind: 'icon', name: 'Save', interactive: true, bounds: expect.objectContaining({ x: 0.1, y: 0.2 }) as unknown },
    { kind: 'text', name: 'File', interactive: false, bounds: { x: 0, y: 0, width: 0.5, height: 0.1 } },
  ]);
  const body = { base64_image: JPEG.toString('base64') };
  expect(received).toEqual({ method: 'POST', path: '/parse/', body });
});

test('cuts boxes off at the edges of the screenshot', async () => {
  answer = sendBoxes({ ...button, bbox: [-0.5, 0.5, 0.5, 7] });
  expect((await parse())[0]?.bounds).toEqual({ x: 0, y: 0.5, width: 0.5, height: 0.5 });
});

test.each([
  ['outside the screenshot', { ...button, bbox: [1.2, 0.2, 1.4, 0.3] }],
  ['turned around', { ...button, bbox: [0.3, 0.2, 0.1, 0.3] }],
  ['with three numbers', { ...button, bbox: [0.1, 0.2, 0.3] }],
  ['with a text for a number', { ...button, bbox: [0.1, 0.2, 0.3, '0.4'] }],
  ['without a type', { ...button, type: undefined }],
  ['that is null', null],
])('leaves out a box %s', async (_, box) => {
  answer = sendBoxes(box, button);
  expect((await parse()).map(({ name }) => name)).toEqual(['Save']);
});

test('returns no more than 500 of 10,000 boxes, and short names', async () => {
  answer = sendBoxes(...Array.from({ length: 10_000 }, () => ({ ...button, content: 'x'.repeat(1_000) })));
  const elements = await parse();
  expect(elements).toHaveLength(MAX_PARSED_ELEMENTS);
  expect(elements[0]?.name).toHaveLength(200);
});

test.each<[string, typeof answer, string]>([
  ['status 500', (_, response) => void response.writeHead(500).end('no'), 'answered with status 500'],
  [
    'a redirect',
    (_, response) => void response.writeHead(302, { location: '/' }).end(),
    'request failed; check PILOTHOUSE_SCREEN_PARSER_URL',
  ],
  ['no JSON', (_, response) => void response.end('<html>'), 'did not answer with JSON'],
  ['other JSON', sendJson({ boxes: [] }), 'answered without the list'],
  ['a text instead of the list', sendJson({ parsed_content_list: 'x' }), 'answered without the list'],
  [
    'a broken connection',
    (_, response) => void response.destroy(),
    'request failed; check PILOTHOUSE_SCREEN_PARSER_URL',
  ],
  [
    'half an answer',
    (_, response) => void response.write('{"par', () => response.destroy()),
    'request failed; check PILOTHOUSE_SCREEN_PARSER_URL',
  ],
  ['20 MB', (_, response) => void response.end('x'.repeat(20_000_000)), 'sent more than 16000000 bytes'],
])('fails with the reason after %s', async (_, behavior, message) => {
  answer = behavior;
  await expect(parse()).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringContaining(message) as string,
  });
});

test('fails when the server does not answer in time, or breaks off', async () => {
  answer = () => undefined;
  await expect(parse(url, 100)).rejects.toThrow('did not answer within 100 ms');
  answer = (_, response) => void response.write('{');
  await expect(parse(url, 100)).rejects.toThrow('did not answer within 100 ms');
});

test('fails when the server does not run', async () => {
  await expect(parse('http://127.0.0.1:1')).rejects.toThrow('The screen parser request failed');
});

test('ends with the reason of the signal', async () => {
  answer = () => undefined;
  const stop = new AbortController();
  const parsing = parse(url, 5_000, stop.signal);
  stop.abort(new Error('The run was cancelled'));
  await expect(parsing).rejects.toThrow('The run was cancelled');
});
