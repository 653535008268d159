import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { answerFireworks } from './fireworks-tuning.wire.ts';
import { answerOpenAI } from './openai-tuning.wire.ts';
import { answerTogether } from './together-tuning.wire.ts';
import type { ServerJob, TuningServerRequest, TuningServerState } from './tuning-wire.ts';
import { answerVertex } from './vertex-tuning.wire.ts';

/** Jobs and files of services that tune models, with the wire protocols of these services. */
export interface TuningServer extends TuningServerState {
  readonly url: string;
  readonly requests: TuningServerRequest[];
  /** Answers with this status while it is set. */
  failure: number | undefined;
  /** Answers 503 to requests whose path contains this text, while it is set. */
  failedPath: string | undefined;
  /** The next request that creates a job is carried out, and its connection breaks before the answer. */
  losesNextAnswer: boolean;
  /** Files are sent whole, also for a request of a range. */
  hasNoRanges: boolean;
  /** The next answer to a request that creates a job has no id. */
  omitsNextId: boolean;
  /** Called with each created job before the answer. */
  onJob: ((job: ServerJob) => void | Promise<void>) | undefined;
  close(): Promise<void>;
}

const wires = { openai: answerOpenAI, together: answerTogether, fireworks: answerFireworks, vertex: answerVertex };

/**
 * Starts a server. The first segment of a path selects the protocol, e.g. `/openai/v1`.
 * @param chatUrl server that answers chat completions, as these services do for tuned models; undefined: none
 */
export async function startTuningServer(chatUrl?: string): Promise<TuningServer> {
  const server = createServer((request, response) => void answer(request, response));
  const state: TuningServer = {
    jobs: [],
    files: new Map(),
    requests: [],
    failure: undefined,
    failedPath: undefined,
    losesNextAnswer: false,
    hasNoRanges: false,
    omitsNextId: false,
    onJob: undefined,
    addJob(id, request) {
      const job: ServerJob = { id, request, status: 'queued', model: '', error: '', loss: [] };
      state.jobs.push(job);
      return job;
    },
    get url() {
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const received = await readRequest(request);
    const [, name = '', ...segments] = received.path.split('/');
    if (chatUrl !== undefined && received.path.endsWith('/chat/completions'))
      return forward(received, `${chatUrl}/v1/chat/completions`, response);
    state.requests.push(received);
    if (state.failure !== undefined)
      return send(response, state.failure, { error: { message: `Key ${received.key}` } });
    if (state.failedPath !== undefined && received.path.includes(state.failedPath))
      return send(response, 503, { error: { message: 'Not available' } });
    const jobCount = state.jobs.length;
    const wire = Object.hasOwn(wires, name) ? wires[name as keyof typeof wires] : undefined;
    const result = wire?.({ ...received, path: `/${segments.join('/')}`, url: `${state.url}/${name}` }, state) ?? null;
    for (const job of state.jobs.slice(jobCount)) await state.onJob?.(job);
    if (state.losesNextAnswer && state.jobs.length > jobCount) {
      state.losesNextAnswer = false;
      response.destroy();
      return;
    }
    if (state.omitsNextId && state.jobs.length > jobCount) {
      state.omitsNextId = false;
      return send(response, 200, { status: 'queued' });
    }
    if (result && 'text' in result) return sendText(response, result.text, state.hasNoRanges ? '' : received.range);
    send(response, result ? (result.status ?? 200) : 404, result ? result.json : { error: { message: 'Not found' } });
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return state;
}

async function readRequest(request: IncomingMessage): Promise<TuningServerRequest> {
  const body = await buffer(request);
  const url = new URL(request.url ?? '/', 'http://server');
  const isJson = request.headers['content-type']?.startsWith('application/json') === true && body.length > 0;
  return {
    method: request.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    key: (request.headers.authorization ?? '').replace('Bearer ', ''),
    range: request.headers.range ?? '',
    json: isJson ? (JSON.parse(body.toString()) as Record<string, unknown>) : {},
    body,
  };
}

async function forward({ key, body }: TuningServerRequest, url: string, response: ServerResponse): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: new Uint8Array(body) });
  const contentType = answer.headers.get('content-type') ?? 'application/json';
  response.writeHead(answer.status, { 'content-type': contentType }).end(Buffer.from(await answer.arrayBuffer()));
}

/** Sends a text file, or a range of it. */
function sendText(response: ServerResponse, text: string, range: string): void {
  const file = Buffer.from(text);
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? [];
  if (first === undefined) return void response.writeHead(200, { 'content-type': 'text/plain' }).end(file);
  const [start, end] = [Number(first), Math.min(Number(last), file.length - 1)];
  if (start > end) return void response.writeHead(416, { 'content-range': `bytes */${file.length}` }).end();
  response
    .writeHead(206, { 'content-type': 'text/plain', 'content-range': `bytes ${start}-${end}/${file.length}` })
    .end(file.subarray(start, end + 1));
}

const send = (response: ServerResponse, status: number, json: object): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
