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
 * A model of a system, over the wire of OpenAI. It reaches one goal, to log in at the site, in two turns; what else it is asked it
 * refuses, so that nothing but what an agent remembers changes by its being there.
 */
export class ChaosModelServer {
  /** Times that it said that the goal is reached. */
  reached = 0;
  private readonly server: Server;
  private held: Promise<undefined> = Promise.resolve(undefined);

  private constructor(server: Server) {
    this.server = server;
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      // Who asked may be gone.
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

  /** From here on it takes its time. @returns ends that */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.held = promise;
    return () => resolve(undefined);
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { messages = [] } = JSON.parse(await text(request)) as { messages?: readonly Message[] };
    await this.held;
    const calls = turn(messages.flatMap(wordsOf).join('\n'));
    this.reached += Number(calls.some(([name]) => name === 'done'));
    const said = calls.length > 0 ? completion(calls) : { error: { message: 'It knows nothing of that' } };
    response.writeHead(calls.length > 0 ? 200 : 400, { 'content-type': 'application/json' });
    response.end(JSON.stringify(said));
  }
}

const wordsOf = ({ content }: Message): string[] =>
  typeof content === 'string' ? [content] : (content ?? []).flatMap((part) => part.text ?? []);

/** What is done on the page that a prompt ends with; nothing: it is none of the two. */
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
        tool_calls: calls.map(([name, args], at) => ({
          id: `call_${at}`,
          type: 'function',
          function: { name, arguments: JSON.stringify(args) },
        })),
      },
      finish_reason: 'tool_calls',
    },
  ],
  usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
});
