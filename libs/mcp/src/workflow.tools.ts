import { createHash } from 'node:crypto';
import { unwrapData, type Client } from '@pilothouse/client';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { listWorkflowsArgumentsSchema, MAX_WAIT_SECONDS } from '@pilothouse/contract/mcp/mcp-tools.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { WorkflowDefinition, WorkflowInput, WorkflowView } from '@pilothouse/contract/workflow/workflow.schema';
import { defineTool, type ArgumentsSchema, type McpTool } from './tool.ts';
import { dataResult } from './tool-results.ts';
import { startWorkflow } from './workflow-start.ts';

/** No other tool has this prefix. */
const PREFIX = 'workflow_';
const MAX_NAME_CHARS = 64;
const HASH_CHARS = 8;

/** Workflows of one page of tools. */
const TOOLS_PER_PAGE = 40;

/** Definitions that are read at the same time. */
const PARALLEL_READS = 8;

/** Name of the tool of a workflow: `[a-z0-9_-]{1,64}`. A long name ends with a hash, so that names stay unique. */
export function workflowToolName(workflow: string): string {
  const name = `${PREFIX}${workflow}`;
  if (name.length <= MAX_NAME_CHARS) return name;
  const hash = createHash('sha256').update(workflow).digest('hex').slice(0, HASH_CHARS);
  return `${name.slice(0, MAX_NAME_CHARS - HASH_CHARS - 1)}_${hash}`;
}

export const isWorkflowTool = (tool: string): boolean => tool.startsWith(PREFIX);

const secretSchema = (title: string | undefined, description: string | undefined) => ({
  type: 'object',
  title,
  description: `${description ? `${description}. ` : ''}Secret: the name of a secret of the project, never its value`,
  properties: { secret: { type: 'string', description: 'Name of the project secret' } },
  required: ['secret'],
  additionalProperties: false,
});

function propertySchema({ optional: _, secret, type, ...schema }: WorkflowInput): object {
  if (secret) return secretSchema(schema.title, schema.description);
  if (type !== 'file') return { ...schema, type };
  const { title, description } = schema;
  return { type: 'string', title, description: `${description ? `${description}. ` : ''}Id of an upload` };
}

/** JSON Schema of the inputs of a workflow. */
export function inputsSchema({ inputs }: Pick<WorkflowDefinition, 'inputs'>): ArgumentsSchema {
  const entries = Object.entries(inputs);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, input]) => [name, propertySchema(input)])),
    required: entries.filter(([, input]) => !input.optional && input.default === undefined).map(([name]) => name),
    additionalProperties: false,
  };
}

/** The tool of a published workflow. Its arguments are the inputs. */
function workflowTool({ name, title, description }: WorkflowView, inputSchema: ArgumentsSchema): McpTool {
  return {
    name: workflowToolName(name),
    title: title ?? name,
    description: `Runs the workflow ${name} on the fleet.${description ? ` ${description}` : ''}`,
    inputSchema,
    isReadOnly: false,
    call: (args, { client, signal }) => {
      const inputs = (args ?? {}) as Record<string, Json>;
      return startWorkflow(client, { workflow: name, inputs, waitSeconds: MAX_WAIT_SECONDS }, signal);
    },
  };
}

async function readTool(client: Client, workflow: WorkflowView, signal: AbortSignal): Promise<McpTool> {
  const params = { path: { workflow: workflow.id }, query: { version: workflow.publishedVersion ?? undefined } };
  const { definition } = await unwrapData(client.api.GET('/v1/workflows/{workflow}', { params, signal }));
  return workflowTool(workflow, inputsSchema(definition));
}

const isNotFound = (thrown: unknown): boolean => thrown instanceof PilothouseError && thrown.code === 'NOT_FOUND';

/** Reads a tool; null if its workflow was deleted meanwhile. */
const readListedTool = (client: Client, workflow: WorkflowView, signal: AbortSignal): Promise<McpTool | null> =>
  readTool(client, workflow, signal).catch((thrown: unknown) => {
    if (isNotFound(thrown)) return null;
    throw thrown;
  });

/** Tools of one page of published workflows. @param cursor null for the first page */
export async function workflowToolPage(
  client: Client,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<{ tools: McpTool[]; nextCursor: string | null }> {
  const query = { limit: TOOLS_PER_PAGE, ...(cursor !== undefined && { cursor }) };
  const page = await unwrapData(client.api.GET('/v1/workflows', { params: { query }, signal }));
  const published = page.items.filter(({ publishedVersion }) => publishedVersion !== null);
  const tools: McpTool[] = [];
  for (let start = 0; start < published.length; start += PARALLEL_READS) {
    const batch = published.slice(start, start + PARALLEL_READS);
    const read = await Promise.all(batch.map((workflow) => readListedTool(client, workflow, signal)));
    tools.push(...read.filter((tool) => tool !== null));
  }
  return { tools, nextCursor: page.nextCursor };
}

/** Finds the workflow tool of a name. @throws PilothouseError NOT_FOUND */
export async function findWorkflowTool(client: Client, tool: string, signal: AbortSignal): Promise<McpTool> {
  const notFound = new PilothouseError('NOT_FOUND', `Tool ${tool.slice(0, MAX_NAME_CHARS)} not found.`);
  let cursor: string | null | undefined;
  const text = tool.slice(PREFIX.length, MAX_NAME_CHARS - HASH_CHARS - 1);
  if (!/^[a-z0-9_-]{1,64}$/.test(tool) || text === '') throw notFound;
  while (cursor !== null) {
    const query = { limit: 200, text, ...(cursor !== undefined && { cursor }) };
    const page = await unwrapData(client.api.GET('/v1/workflows', { params: { query }, signal }));
    const workflow = page.items.find((item) => workflowToolName(item.name) === tool && item.publishedVersion !== null);
    if (workflow) return readTool(client, workflow, signal);
    cursor = page.nextCursor;
  }
  throw notFound;
}

export const listWorkflowsTool = defineTool({
  name: 'list_workflows',
  title: 'List workflows',
  description: 'Lists the workflows of the project by name, with the tool of each published one.',
  isReadOnly: true,
  schema: listWorkflowsArgumentsSchema,
  async call(query, { client, signal }) {
    const page = await unwrapData(client.api.GET('/v1/workflows', { params: { query }, signal }));
    const items = page.items.map(({ name, title, description, surface, latestVersion, publishedVersion }) => ({
      name,
      title,
      description,
      surface,
      latestVersion,
      publishedVersion,
      tool: publishedVersion === null ? null : workflowToolName(name),
    }));
    return dataResult(`${items.length} workflows.`, { items, nextCursor: page.nextCursor });
  },
});
