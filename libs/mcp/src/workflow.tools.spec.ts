import { createClient } from '@pilothouse/client';
import { inputsSchema, workflowToolName, workflowToolPage } from './workflow.tools.ts';

const longest = 'a'.repeat(63);

test.each([
  ['order', 'workflow_order'],
  ['run-2', 'workflow_run-2'],
  ['a'.repeat(55), `workflow_${'a'.repeat(55)}`],
])('the tool of the workflow %s is %s', (workflow, tool) => expect(workflowToolName(workflow)).toBe(tool));

test('names of long workflows fit, and stay unique', () => {
  const names = [longest, `${longest.slice(1)}b`, `${longest.slice(2)}cb`].map(workflowToolName);
  expect(new Set(names).size).toBe(3);
  for (const name of names) expect(name).toMatch(/^[a-z0-9_-]{64}$/);
});

test('inputs become properties: secrets by name, files by upload', () => {
  const schema = inputsSchema({
    inputs: {
      user: { type: 'string', description: 'Account', maxLength: 20 },
      count: { type: 'integer', default: 1 },
      password: { type: 'string', secret: true },
      list: { type: 'file', optional: true },
    },
  });
  expect(schema).toMatchObject({
    type: 'object',
    required: ['user', 'password'],
    additionalProperties: false,
    properties: {
      user: { type: 'string', description: 'Account', maxLength: 20 },
      count: { type: 'integer', default: 1 },
      password: { type: 'object', required: ['secret'] },
      list: { type: 'string' },
    },
  });
  expect(JSON.stringify(schema)).not.toContain('optional');
});

test('a workflow that was deleted meanwhile has no tool', async () => {
  const workflow = (name: string) => ({ id: name, name, title: null, description: null, publishedVersion: 1 });
  const client = createClient({
    url: 'http://api.test',
    fetch: async (input) => {
      const { pathname } = new URL((input as Request).url);
      if (pathname.endsWith('/deleted')) return new Response('', { status: 404 });
      if (pathname.endsWith('/order')) return Response.json({ definition: { inputs: {} } });
      return Response.json({ items: [workflow('deleted'), workflow('order')], nextCursor: null });
    },
  });
  const { tools } = await workflowToolPage(client, undefined, new AbortController().signal);
  expect(tools.map(({ name }) => name)).toEqual(['workflow_order']);
});
