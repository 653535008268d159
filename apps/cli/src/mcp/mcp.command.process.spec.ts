import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { ApiFixture, KEY } from '../testing/api.fixture.ts';
import { aRun, aWorkflow, id } from '../testing/views.fixture.ts';

const api = new ApiFixture();
beforeAll(() => api.start());
beforeEach(() => {
  api.requests.splice(0);
  const workflow = aWorkflow({ name: 'harbour-order', publishedVersion: 1 });
  const completed = aRun({ id: id(1), status: 'completed', currentStep: 1, output: { order: 'A-1' } });
  Object.assign(api.handlers, {
    readMe: () => ({
      key: null,
      user: null,
      role: 'operator',
      project: { id: id(9), slug: 'default', name: 'Default' },
    }),
    listRuns: () => ({ items: [completed], nextCursor: null }),
    listWorkflows: () => ({ items: [{ ...workflow, stats }], nextCursor: null }),
    readWorkflow: () => workflow,
    runWorkflow: () => aRun(),
    readRun: () => completed,
  });
});
afterAll(() => api.stop());

const stats = {
  usesAgent: false,
  createdBy: null,
  finishedRuns: 0,
  completed: 0,
  retries: 0,
  lastRun: null,
  thumbnail: null,
};

const modes = [
  ['2025-11-25', 'legacy'],
  ['2026-07-28', { pin: '2026-07-28' }],
] as const;

async function connect(mode: (typeof modes)[number][1], ...flags: string[]): Promise<Client> {
  const capabilities = { elicitation: { form: {} } };
  const client = new Client({ name: 'spec', version: '1.0.0' }, { capabilities, versionNegotiation: { mode } });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['--no-warnings', join(import.meta.dirname, '../main.ts'), 'mcp', ...flags],
    env: { PILOTHOUSE_URL: api.url, PILOTHOUSE_API_KEY: KEY, PATH: process.env['PATH'] ?? '' },
    stderr: 'pipe',
  });
  await client.connect(transport);
  return client;
}

describe.each(modes)('protocol %s on stdin and stdout', (version, mode) => {
  test('lists the tools and runs a workflow', async () => {
    const client = await connect(mode);
    try {
      expect(client.getNegotiatedProtocolVersion()).toBe(version);
      expect(client.getServerVersion()).toMatchObject({ name: 'pilothouse' });
      const names = (await client.listTools()).tools.map(({ name }) => name);
      expect(names).toEqual(
        expect.arrayContaining(['run_workflow', 'start_goal', 'answer_question', 'workflow_harbour-order']),
      );
      const result = await client.callTool({ name: 'workflow_harbour-order', arguments: {} });
      expect(result).toMatchObject({ structuredContent: { status: 'completed', output: { order: 'A-1' } } });
      expect(api.of('runWorkflow')).toHaveLength(1);
      const { resources } = await client.listResources();
      expect(resources.map(({ uri }) => uri)).toContain('pilothouse://workflows/harbour-order');
    } finally {
      await client.close();
    }
  }, 60_000);

  test('--read-only offers no tool that changes something', async () => {
    const client = await connect(mode, '--read-only');
    try {
      const { tools } = await client.listTools();
      expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);
      const args = { run: id(1) };
      expect(await client.callTool({ name: 'cancel_run', arguments: args })).toMatchObject({ isError: true });
      expect(await client.callTool({ name: 'get_run', arguments: args })).toMatchObject({
        structuredContent: { id: id(1) },
      });
      expect(api.of('cancelRun')).toHaveLength(0);
    } finally {
      await client.close();
    }
  }, 60_000);
});

test('a declined form tells the agent to wait, not to answer', async () => {
  const reason = 'Pay 40 EUR?';
  const question = {
    step: 0,
    id: null,
    reason,
    choices: [{ choice: 'continue' as const, title: 'Pay' }],
    key: '1.0.1',
    askedAt: '2026-05-04T12:00:00.000Z',
    expiresAt: '2026-05-04T13:00:00.000Z',
  };
  api.handlers.readRun = () => aRun({ id: id(1), status: 'awaiting_user', question });
  const client = await connect({ pin: '2026-07-28' });
  try {
    const messages: string[] = [];
    client.setRequestHandler('elicitation/create', ({ params }) => {
      messages.push(params.message);
      return { action: 'decline' };
    });
    const result = await client.callTool({ name: 'workflow_harbour-order', arguments: {} });
    expect(messages).toEqual([expect.stringContaining(reason)]);
    expect(JSON.stringify(result.content[0])).toMatch(/do not answer for them\. Call wait_for_run/);
    expect(api.of('answerRun')).toHaveLength(0);
  } finally {
    await client.close();
  }
}, 60_000);
