import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { chunk, completion, goodMessage, json, oddUsage, streamOf, wireCall } from './odd-wire.ts';
import type { OddCase, OddCases, OddRequest } from './odd-wire.ts';

/* Good answers in unusual bytes: encodings, content types, framing of streams. Also redirects, pages of proxies and endless bodies. */

const always = Infinity;

const jsonHeaders = { 'content-type': 'application/json' };
const streamHeaders = { 'content-type': 'text/event-stream' };

/** Text of the good completion. */
const goodBody = (request: OddRequest): string => JSON.stringify(completion(goodMessage(request)));

const loginPage = '<!doctype html><html><title>Sign in to the proxy</title></html>';

/** Sends bytes, each in its own chunk. */
function sendSlices(response: ServerResponse, bytes: Buffer, headers: Record<string, string>, size: number): void {
  response.writeHead(200, headers);
  const sendFrom = (start: number): void => {
    if (start >= bytes.length) return void response.end();
    response.write(bytes.subarray(start, start + size), () => setImmediate(sendFrom, start + size));
  };
  sendFrom(0);
}

/** A stream whose text is written by hand. */
const framed = (write: (data: readonly string[]) => string, size = Infinity): OddCase => ({
  calls: always,
  answer: (request, response) => {
    const data = streamOf({ ...goodMessage(request), content: 'Ich drücke „Count“ 👍' }).map((each) =>
      JSON.stringify(each),
    );
    sendSlices(response, Buffer.from(write([...data, '[DONE]'])), streamHeaders, size);
  },
});

/** Sends a chunk again and again, as fast as it is read. */
function sendEndlessly(response: ServerResponse, headers: Record<string, string>, text: string): void {
  response.writeHead(200, headers);
  const send = () => {
    if (!response.destroyed) response.write(text, () => setImmediate(send));
  };
  send();
}

export const oddTransports: OddCases = {
  gzip: {
    calls: always,
    answer: (request, response) => {
      response.writeHead(200, { ...jsonHeaders, 'content-encoding': 'gzip' });
      response.end(gzipSync(goodBody(request)));
    },
  },
  gziplie: {
    calls: 1,
    answer: (request, response) => json(response, 200, goodBody(request), { 'content-encoding': 'gzip' }),
  },
  gzipbomb: {
    calls: always,
    answer: (_, response) => {
      response.writeHead(200, { ...jsonHeaders, 'content-encoding': 'gzip' });
      response.end(gzipSync(`{"x": "${' '.repeat(40_000_000)}"}`));
    },
  },
  hugebody: {
    calls: always,
    answer: (_, response) => sendEndlessly(response, jsonHeaders, ' '.repeat(1_000_000)),
  },
  bom: { calls: always, answer: (request, response) => json(response, 200, `\uFEFF${goodBody(request)}`) },
  textplain: {
    calls: always,
    answer: (request, response) => json(response, 200, goodBody(request), { 'content-type': 'text/plain' }),
  },
  html200: {
    calls: always,
    answer: (_, response) => json(response, 200, loginPage, { 'content-type': 'text/html' }),
  },
  utf8split: {
    calls: always,
    answer: (request, response) => {
      const body = JSON.stringify(completion({ ...goodMessage(request), content: 'Ich drücke „Count“ 👍' }));
      sendSlices(response, Buffer.from(body), jsonHeaders, 1);
    },
  },
  redirect302: {
    calls: always,
    answer: (_, response) => json(response, 302, '', { location: 'https://user:secret@other.example/v1?key=secret' }),
  },
  redirect308: {
    calls: always,
    answer: (_, response) => json(response, 308, '', { location: '/v2/chat/completions' }),
  },
  ollamaform: {
    calls: always,
    answer: (request, response) => json(response, 200, { model: 'odd', message: goodMessage(request), done: true }),
  },
  s_crlf: framed((data) => data.map((each) => `data: ${each}\r\n\r\n`).join('')),
  s_bom: framed((data) => `\uFEFF${data.map((each) => `data: ${each}\n\n`).join('')}`),
  s_nospace: framed((data) => data.map((each) => `event:message\nid:1\ndata:${each}\n\n`).join('')),
  s_multiline: framed((data) => data.map((each) => `data: ${each.replace(',', ',\ndata: ')}\n\n`).join('')),
  s_utf8split: framed((data) => data.map((each) => `data: ${each}\r\n\r\n`).join(''), 1),
  s_html: {
    calls: always,
    answer: (_, response) => json(response, 200, loginPage, { 'content-type': 'text/html' }),
  },
  s_pings: {
    calls: always,
    answer: (_, response) => sendEndlessly(response, streamHeaders, ': ping\n\n'),
  },
  s_endless: {
    calls: always,
    answer: (_, response) =>
      sendEndlessly(response, streamHeaders, `data: ${JSON.stringify(chunk({ content: 'x'.repeat(100_000) }))}\n\n`),
  },
  s_doneafter: {
    calls: always,
    answer: (request, response) => {
      const call = wireCall('act', { action: 'click', element: 9 });
      const late = JSON.stringify(chunk({ tool_calls: [{ index: 1, ...call }] }));
      const data = streamOf(goodMessage(request)).map((each) => `data: ${JSON.stringify(each)}\n\n`);
      sendSlices(response, Buffer.from(`${data.join('')}data: [DONE]\n\ndata: ${late}\n\n`), streamHeaders, Infinity);
    },
  },
  s_usageeach: framed((data) =>
    data
      .map((each) => (each === '[DONE]' ? each : JSON.stringify({ ...(JSON.parse(each) as object), usage: oddUsage })))
      .map((each) => `data: ${each}\n\n`)
      .join(''),
  ),
};
