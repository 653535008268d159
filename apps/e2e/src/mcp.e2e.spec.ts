import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { Stack } from './harness/stack.ts';

describe('an agent at the MCP server', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await Stack.start();
    const body = {
      name: 'reload-widgets',
      inputs: { path: { type: 'string' } },
      steps: [
        { action: 'navigate', url: `${stack.site.url}{{inputs.path}}` },
        { action: 'reload', approval: 'Reload the page?' },
        { id: 'title', action: 'extract', target: { css: 'h1' }, value: {} },
        { action: 'screenshot' },
      ],
      output: { title: '{{steps.title.value}}' },
    };
    await stack.client.json('/v1/workflows?publish=true', { method: 'POST', body });
  });
  afterAll(() => stack?.stop());

  const connect = async (mode: 'legacy' | { pin: string }, onQuestion?: (message: string) => string) => {
    const capabilities = onQuestion ? { elicitation: { form: {} } } : {};
    const client = new Client({ name: 'spec', version: '1.0.0' }, { versionNegotiation: { mode }, capabilities });
    if (onQuestion) {
      client.setRequestHandler('elicitation/create', ({ params }) => ({
        action: 'accept',
        content: { choice: onQuestion(params.message) },
      }));
    }
    const requestInit = { headers: { authorization: `Bearer ${stack.client.key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${stack.client.url}/mcp`), { requestInit }));
    return client;
  };
  const tool = { name: 'workflow_reload-widgets', arguments: { path: '/public/widgets' } };
  const runOf = (result: object) => (result as { structuredContent: RunView }).structuredContent;

  test.each(['legacy', { pin: '2026-07-28' }] as const)(
    'runs a workflow as a tool, sees it, answers its question and gets the result (%j)',
    async (mode) => {
      const client = await connect(mode);
      const messages: string[] = [];
      const onprogress = ({ message = '' }) => void messages.push(message);
      const asking = runOf(await client.callTool(tool, { onprogress }));
      expect(asking).toMatchObject({
        status: 'awaiting_user',
        question: { reason: expect.stringContaining('Reload') },
      });
      expect(messages.at(-1)).toMatch(/^awaiting_user, step \d of 4/);

      const { content } = await client.callTool({ name: 'observe', arguments: { run: asking.id } });
      const image = content.find(({ type }) => type === 'image') as { data: string; mimeType: string } | undefined;
      expect(image?.mimeType).toBe('image/jpeg');
      // The first two bytes of every JPEG.
      expect(
        Buffer.from(image?.data ?? '', 'base64')
          .subarray(0, 2)
          .toString('hex'),
      ).toBe('ffd8');

      const choice = asking.question?.choices[0]?.choice;
      const answer = { run: asking.id, question: asking.question?.key, choice };
      const done = await client.callTool({ name: 'answer_question', arguments: answer }, { onprogress });
      expect(runOf(done)).toMatchObject({ status: 'completed', output: { title: expect.any(String) } });
      expect(messages.at(-1)).toMatch(/^completed/);

      const list = await client.callTool({ name: 'get_artifact', arguments: { run: asking.id } });
      const { items } = list.structuredContent as { items: { id: string; kind: string }[] };
      const screenshot = items.find(({ kind }) => kind === 'screenshot')?.id;
      const file = await client.callTool({ name: 'get_artifact', arguments: { run: asking.id, artifact: screenshot } });
      expect(file.content.map(({ type }) => type)).toEqual(['text', 'image']);
      expect(JSON.stringify(list)).not.toContain('signature');
      await client.close();
    },
  );

  test('puts the question to the person at a client that can ask, and continues with the answer', async () => {
    const questions: string[] = [];
    const client = await connect({ pin: '2026-07-28' }, (message) => {
      questions.push(message);
      return 'continue';
    });
    expect(runOf(await client.callTool(tool))).toMatchObject({ status: 'completed' });
    expect(questions).toEqual([expect.stringContaining('Reload the page?')]);
    await client.close();
  });
});
