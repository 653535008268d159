import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { anthropic } from './anthropic.wire.ts';
import { gemini } from './gemini.wire.ts';
import { openaiResponses } from './openai-responses.wire.ts';
import { openai } from './openai.wire.ts';
import { callIdsOf } from './computer-tool-rules.ts';
import type { AnswerReply, ModelServerRequest, Protocol, Reply, CompleteAnswer } from './wire-protocol.ts';

/** A server with the wire protocols of the providers and scripted answers. */
export interface ModelServer {
  /** `http://127.0.0.1:port`. The OpenAI SDK needs `/v1` appended; the others add their own path. */
  readonly url: string;
  /** Every received call, in order. */
  readonly requests: ModelServerRequest[];
  /** Queued answers. They precede `policy`. */
  next(...replies: Reply[]): void;
  /** Answers calls when the queue is empty. Without a policy these calls fail with HTTP 400. */
  policy: ((requests: ModelServerRequest) => Reply | Promise<Reply>) | undefined;
  /** Number of calls in progress. */
  readonly open: number;
  close(): Promise<void>;
}

const protocols: readonly Protocol[] = [gemini, openai, openaiResponses, anthropic];

/** @param port 0: any free port */
export async function startModels({ port = 0 }: { port?: number } = {}): Promise<ModelServer> {
  const requests: ModelServerRequest[] = [];
  const replies: Reply[] = [];
  const sentBlocks = new Map<string, readonly object[]>();
  let open = 0;
  const server = createServer((request, response) => {
    open += 1;
    response.on('close', () => (open -= 1));
    void answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  const models = {
    requests: requests,
    policy: undefined as ModelServer['policy'],
    next: (...added: Reply[]) => void replies.push(...added),
    get url() {
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    get open() {
      return open;
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').split('?')[0] ?? '';
    const protocol = protocols.find(({ modelOf }) => modelOf(path) !== undefined);
    const body = await text(request);
    if (!protocol) return send(response, 404, { error: { message: `Nothing is at ${path}` } });
    const json = JSON.parse(body) as Record<string, unknown>;
    const model = protocol.modelOf(path) || String(json['model'] ?? '');
    const received: ModelServerRequest = {
      protocol: protocol.name,
      model,
      key: keyOf(request),
      headers: request.headers,
      path,
      stream: protocol.streams(path, json),
      body: json,
      ...protocol.read(json),
    };
    requests.push(received);
    const refusal = protocol.refusalOf?.(json, sentBlocks) ?? null;
    if (refusal !== null) return send(response, 400, protocol.error(400, refusal));
    const reply = replies.shift() ??
      (await models.policy?.(received)) ?? { status: 400, message: 'No answer is scripted' };
    if ('blocks' in reply)
      for (const id of callIdsOf(reply.blocks ?? [])) sentBlocks.set(id, JSON.parse(JSON.stringify(reply.blocks)));
    respond(protocol, received, reply, response);
  }

  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return models;
}

function keyOf({ headers }: IncomingMessage): string | undefined {
  const key = headers['x-goog-api-key'] ?? headers['x-api-key'] ?? headers.authorization?.replace(/^Bearer /, '');
  return key === undefined ? undefined : String(key);
}

function respond(protocol: Protocol, requests: ModelServerRequest, reply: Reply, response: ServerResponse): void {
  if ('hangs' in reply) return;
  if ('status' in reply) {
    const { status, message = 'Scripted', retryAfter } = reply;
    if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
    return send(response, status, protocol.error(status, message));
  }
  if ('raw' in reply) {
    response.writeHead(200, { 'content-type': typeOf(requests) }).end(reply.raw);
    return;
  }
  const responseBody =
    'malformedCall' in reply
      ? protocol.malformedCall(reply.malformedCall, requests.model)
      : protocol.write(inFull('cut' in reply ? { text: 'half of it' } : reply, requests), requests.model);
  const beforeFrame = 'before' in reply ? reply.before : undefined;
  if (requests.stream && beforeFrame) return void streamFrames(protocol.frames(responseBody), beforeFrame, response);
  const payload = requests.stream ? protocol.frames(responseBody).join('') : JSON.stringify(responseBody);
  response.writeHead(200, { 'content-type': typeOf(requests), 'content-length': Buffer.byteLength(payload) });
  if ('cut' in reply) response.write(payload.slice(0, payload.length / 2), () => response.destroy());
  else response.end(payload);
}

/** Sends the frames of a stream in order. */
async function streamFrames(
  frames: readonly string[],
  beforeFrame: NonNullable<AnswerReply['before']>,
  response: ServerResponse,
) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const [sentFrames, frame] of frames.entries()) {
    await beforeFrame(sentFrames);
    response.write(frame);
  }
  response.end();
}

const typeOf = ({ stream }: ModelServerRequest) => (stream ? 'text/event-stream' : 'application/json');

function inFull(
  { text: content = '', calls = [], blocks, finish, usage }: AnswerReply,
  requests: ModelServerRequest,
): CompleteAnswer {
  return {
    text: content,
    calls,
    ...(blocks && { blocks }),
    finish: finish ?? (calls.length > 0 || blocks ? 'calls' : 'stop'),
    usage: usage ?? { input: tokens(requests.system + requests.text), output: tokens(content + JSON.stringify(calls)) },
  };
}

const tokens = (content: string) => Math.ceil(content.length / 4);

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
