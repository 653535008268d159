import { chunk, completion, goodMessage, json, sse, streamOf, usageChunk, type OddCases } from './odd-wire.ts';

/* Streams in unusual forms. */

const always = Infinity;

const comment = ': keep-alive\n\n';

export const oddStreams: OddCases = {
  s_trunc: {
    calls: 1,
    answer: (request, response) => {
      sse(response, streamOf(goodMessage(request)).slice(0, 1), false);
      response.end();
    },
  },
  s_reset: {
    calls: 1,
    answer: (request, response) => {
      sse(response, streamOf(goodMessage(request)).slice(0, 1), false);
      response.write(comment, () => response.socket?.resetAndDestroy());
    },
  },
  s_nodone: {
    calls: always,
    answer: (request, response) => {
      sse(response, streamOf(goodMessage(request)), false);
      response.end();
    },
  },
  s_hangafter: {
    calls: always,
    answer: (request, response) => sse(response, streamOf(goodMessage(request)), false),
  },
  s_split: {
    calls: always,
    answer: (request, response) => {
      const { content, tool_calls: calls = [] } = goodMessage(request);
      const deltas = calls.flatMap(({ function: { name, arguments: args }, ...call }, index) => [
        chunk({ tool_calls: [{ index, ...call, function: { name, arguments: '' } }] }),
        ...[...args].map((char) => chunk({ tool_calls: [{ index, function: { arguments: char } }] })),
      ]);
      const texts = [...(content ?? '')].map((char) => chunk({ content: char }));
      sse(response, [...texts, ...deltas, chunk({}, calls.length > 0 ? 'tool_calls' : 'stop'), usageChunk]);
    },
  },
  s_noindex: {
    calls: always,
    answer: (request, response) => {
      const { content, tool_calls: calls = [] } = goodMessage(request);
      const deltas = calls.map((call) => chunk({ tool_calls: [call] }));
      sse(response, [chunk({ content }), ...deltas, chunk({}, calls.length > 0 ? 'tool_calls' : 'stop')]);
    },
  },
  s_error: {
    calls: 1,
    answer: (_, response) => sse(response, [chunk({ content: 'I ' }), { error: { message: 'overloaded', code: 503 } }]),
  },
  s_json: {
    calls: always,
    answer: (request, response) => {
      const message = goodMessage(request);
      json(response, 200, completion(message, message.tool_calls ? 'tool_calls' : 'stop'));
    },
  },
  s_silent: {
    calls: always,
    answer: (_, response) => sse(response, [chunk({ role: 'assistant', content: '' })], false),
  },
  s_slowprompt: {
    calls: 1,
    answer: (request, response, hold) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      hold(() => {
        for (const each of streamOf(goodMessage(request))) response.write(`data: ${JSON.stringify(each)}\n\n`);
        response.end('data: [DONE]\n\n');
      });
    },
  },
  s_comments: {
    calls: always,
    answer: (request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(comment);
      for (const each of streamOf(goodMessage(request))) response.write(`: ping\n\ndata: ${JSON.stringify(each)}\n\n`);
      response.end('data: [DONE]\n\n');
    },
  },
};
