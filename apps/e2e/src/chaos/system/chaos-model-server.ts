import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { account } from '../plan/random-workflow.ts';

interface Message {
  readonly content?: string | readonly { readonly text?: string }[] | null;
}
type Call = readonly [name: string, args: object];

/**
 * A model server for one system, with the OpenAI protocol. It reaches one goal (signing in at the site) in two turns
 * and refuses other requests, so that its presence changes only the action cache.
 */
export class ChaosModelServer {
  /** Number of responses that reported the goal as reached. */
  reachedGoals = 0;
  private readonly server: Server;
  private delay: Promise<undefined> = Promise.resolve(undefined);

  private constructor(server: Server) {
    this.server = server;
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      // The client may be gone.
      this.answer(request, response).catch(() => response.destroy());
    });
  }

  static async start(): Promise<ChaosModelServer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ChaosModelServer(server);
  }

  /** Settings of the API. */
  get env(): Record<string, string> {
    const { port } = this.server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/v1`;
    return { PILOTHOUSE_MODEL: 'openai/chaos', OPENAI_API_KEY: 'none', OPENAI_BASE_URL: url };
  }

  /**
   * Delays responses from now on.
   * @returns a function that ends the delay
   */
  delayResponses(): () => void {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.delay = promise;
    return () => resolve(undefined);
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { messages = [] } = JSON.parse(await text(request)) as { messages?: readonly Message[] };
    await this.delay;
    const calls = turn(messages.flatMap(textsOf).join('\n'));
    this.reachedGoals += Number(calls.some(([name]) => name === 'done'));
    const responseBody = calls.length > 0 ? completion(calls) : { error: { message: 'Unknown prompt' } };
    response.writeHead(calls.length > 0 ? 200 : 400, { 'content-type': 'application/json' });
    response.end(JSON.stringify(responseBody));
  }
}

const textsOf = ({ content }: Message): string[] =>
  typeof content === 'string' ? [content] : (content ?? []).flatMap((part) => part.text ?? []);

/** Action for the page at the end of a prompt. Undefined: an unknown page. */
function turn(prompt: string): Call[] {
  const page = /<<<page (\w+)\n([\s\S]*?)\n>>>page \1\s*$/.exec(prompt)?.[2] ?? '';
  const element = (line: string) => Number(new RegExp(`\\[(\\d+)\\] ${line}`).exec(page)?.[1]);
  const password = element('textbox "Password"');
  if (!Number.isNaN(password)) {
    const { email } = account;
    return [
      ['act', { action: 'type', element: element('textbox "E-mail"'), text: email }],
      ['act', { action: 'type', element: password, text: account.password }],
      ['act', { action: 'click', element: element('button "Log in"') }],
    ];
  }
  return page.includes('Catalogue') ? [['done', { title_or_url: 'Catalogue', indicators: ['Catalogue'] }]] : [];
}

const completion = (calls: readonly Call[]) => ({
  id: 'chaos',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'chaos',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: null,
        tool_calls: calls.map(([name, args], index) => ({
          id: `call_${index}`,
          type: 'function',
          function: { name, arguments: JSON.stringify(args) },
        })),
      },
      finish_reason: 'tool_calls',
    },
  ],
  usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
});
