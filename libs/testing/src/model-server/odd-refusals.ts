import { completion, json, sendGood, wireCall, type OddCases, type OddRequest } from './odd-wire.ts';

/* Errors, refusals of request fields and broken connections. */

const always = Infinity;

const error = (message: string, fields: object = {}) => ({ error: { message, ...fields } });

const hasImages = (request: OddRequest) => JSON.stringify(request.messages).includes('"image_url"');

const loading = error('Loading model', { type: 'unavailable_error', code: 503 });

export const oddRefusals: OddCases = {
  good: { calls: 0, answer: (request, response) => sendGood(request, response) },
  r429: { calls: 2, answer: (_, response) => json(response, 429, error('slow down'), { 'retry-after': '2' }) },
  r429date: {
    calls: 1,
    answer: (_, response) =>
      json(response, 429, error('slow down'), { 'retry-after': new Date(Date.now() + 3000).toUTCString() }),
  },
  r429long: {
    calls: always,
    answer: (_, response) => json(response, 429, error('slow down'), { 'retry-after': '3600' }),
  },
  e500: { calls: 3, answer: (_, response) => json(response, 500, 'oops') },
  e500html: {
    calls: always,
    answer: (_, response) =>
      json(response, 502, '<html><body>Bad gateway</body></html>', { 'content-type': 'text/html' }),
  },
  e400ctx: {
    calls: always,
    answer: (_, response) =>
      json(
        response,
        400,
        error('the request exceeds the available context size (4096 tokens), try increasing it', {
          type: 'exceed_context_size_error',
          n_prompt_tokens: 5000,
          n_ctx: 4096,
        }),
      ),
  },
  loading: { calls: 4, answer: (_, response) => json(response, 503, loading) },
  loadinglong: { calls: always, answer: (_, response) => json(response, 503, loading) },
  reset: { calls: 2, answer: (_, response) => response.socket?.resetAndDestroy() },
  resetalways: { calls: always, answer: (_, response) => response.socket?.resetAndDestroy() },
  halfbody: {
    calls: 1,
    answer: (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' });
      response.write('{"id":"x","choices":[{"ind', () => response.destroy());
    },
  },
  notjson: { calls: 1, answer: (_, response) => json(response, 200, 'hello, I am a server') },
  emptybody: { calls: 1, answer: (_, response) => json(response, 200, '') },
  nullbody: { calls: 1, answer: (_, response) => json(response, 200, 'null') },
  nochoices: { calls: 1, answer: (_, response) => json(response, 200, { ...completion({}), choices: [] }) },
  nochoicesalways: { calls: always, answer: (_, response) => json(response, 200, { ...completion({}), choices: [] }) },
  errorin200: { calls: 1, answer: (_, response) => json(response, 200, error('model crashed', { code: 500 })) },
  notools400: {
    calls: always,
    answer: (request, response) =>
      request.tools ? json(response, 400, error('this model does not support tools')) : sendGood(request, response),
  },
  nojinja500: {
    calls: always,
    answer: (request, response) =>
      request.tools
        ? json(response, 500, error('tools param requires --jinja flag', { code: 500, type: 'server_error' }))
        : sendGood(request, response),
  },
  noschema400: {
    calls: always,
    answer: (request, response) =>
      request.response_format
        ? json(response, 400, error('response_format json_schema is not supported'))
        : sendGood(request, response),
  },
  temp400: {
    calls: always,
    answer: (request, response) =>
      'temperature' in request
        ? json(response, 400, error("Unsupported value: 'temperature' does not support 0"))
        : sendGood(request, response),
  },
  // llama.cpp without a projector.
  noimage500: {
    calls: always,
    answer: (request, response) =>
      hasImages(request)
        ? json(
            response,
            500,
            error('image input is not supported - hint: if this is unexpected, you may need to provide the mmproj', {
              code: 500,
              type: 'server_error',
            }),
          )
        : json(response, 200, completion({ tool_calls: [wireCall('act', { action: 'click', element: 9999 })] })),
  },
  slowfirst: { calls: 1, answer: (request, response, hold) => hold(() => sendGood(request, response)) },
  never: { calls: always, answer: () => undefined },
  drip: {
    calls: always,
    answer: (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('   ');
    },
  },
};
