import type { ServerResponse } from 'node:http';

/* Parts of the answers of an odd server. */

/** The fields of a request that the server reads. */
export interface OddRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly unknown[];
  readonly response_format?: unknown;
  readonly temperature?: number;
  readonly max_tokens?: number;
}

export interface WireCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface WireMessage {
  readonly content?: string | null;
  readonly tool_calls?: readonly WireCall[];
}

/** One fault. `calls`: number of first calls that get it; later calls get the good answer. */
export interface OddCase {
  readonly calls: number;
  /** @param hold keeps an answer until the server releases it */
  answer(request: OddRequest, response: ServerResponse, hold: (release: () => void) => void): void;
}

export type OddCases = Readonly<Record<string, OddCase>>;

export const oddUsage = { prompt_tokens: 1000, completion_tokens: 20, total_tokens: 1020 };

export const wireCall = (name: string, args: object | string, id = 'c1'): WireCall => ({
  id,
  type: 'function',
  function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
});

export const completion = (message: object, finish: string | null = 'tool_calls', usage: unknown = oddUsage) => ({
  id: 'x',
  object: 'chat.completion',
  created: 1,
  model: 'odd',
  choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason: finish }],
  ...(usage !== undefined && { usage }),
});

export function json(response: ServerResponse, status: number, body: unknown, headers: object = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** All texts of a request. */
export const textOf = ({ messages }: OddRequest): string =>
  messages.map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content ?? ''))).join('\n');

/** The good answer: a call of `act` if functions are offered, else JSON. */
export function goodMessage(request: OddRequest): WireMessage {
  const click = { action: 'click', element: 5, times: 3 };
  if (request.tools) return { content: 'I press Count.', tool_calls: [wireCall('act', click)] };
  const isVerdict = `${JSON.stringify(request.response_format ?? '')}${textOf(request)}`.includes('verdict');
  return {
    content: JSON.stringify(
      isVerdict ? { verdict: 'success', why: 'The page shows it' } : { thought: 'x', actions: [click] },
    ),
  };
}

export const chunk = (delta: object, finish: string | null = null) => ({
  id: 'x',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'odd',
  choices: [{ index: 0, delta, finish_reason: finish }],
});

export const usageChunk = { id: 'x', object: 'chat.completion.chunk', model: 'odd', choices: [], usage: oddUsage };

export const streamOf = ({ content, tool_calls: calls = [] }: WireMessage): object[] => [
  ...(content ? [chunk({ role: 'assistant', content })] : []),
  ...calls.map((call, index) => chunk({ tool_calls: [{ index, ...call }] })),
  chunk({}, calls.length > 0 ? 'tool_calls' : 'stop'),
  usageChunk,
];

/** Sends chunks. @param end false: the stream stays open */
export function sse(response: ServerResponse, chunks: readonly object[], end = true): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const each of chunks) response.write(`data: ${JSON.stringify(each)}\n\n`);
  if (end) response.end('data: [DONE]\n\n');
}

type Completion = ReturnType<typeof completion>;

/** Sends the good answer. @param change changes the completion; not applied to streams */
export function sendGood(request: OddRequest, response: ServerResponse, change = (body: Completion): unknown => body) {
  const message = goodMessage(request);
  if (request.stream) return sse(response, streamOf(message));
  json(response, 200, change(completion(message, message.tool_calls ? 'tool_calls' : 'stop')));
}
