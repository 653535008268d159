import { z } from 'zod';
import { protectedResourceSchema } from '../mcp/mcp-tools.schema.ts';
import { flagQuery } from './query-params.ts';
import { defineRoute } from './route-definition.ts';

const tag = 'MCP';

/** Path of the resource metadata for `/mcp` (RFC 9728). */
export const MCP_RESOURCE_PATH = '/.well-known/oauth-protected-resource/mcp';

const messageSchema = z.record(z.string(), z.unknown());

const noSession = {
  405: { description: 'The server keeps no sessions: send every message with POST', schema: messageSchema },
} as const;

export const mcpRoutes = {
  callMcp: defineRoute({
    method: 'POST',
    path: '/mcp',
    tag,
    summary: 'Send a message of the Model Context Protocol',
    description:
      'Streamable HTTP without sessions, for the protocol versions 2026-07-28 and 2025-11-25. Needs an API key. Every tool acts with the rights ' +
      'of the key. A response is JSON, or a stream of server-sent events if the tool reports progress.',
    role: 'viewer',
    query: z.object({
      readOnly: flagQuery.optional().describe('`true`: only tools that change nothing'),
    }),
    body: messageSchema,
    audit: 'nothing',
    resourceMetadata: MCP_RESOURCE_PATH,
    responses: {
      200: { description: 'The response', schema: messageSchema, types: { 'text/event-stream': null } },
      202: { description: 'The notification was accepted' },
      400: { description: 'The message is invalid for its protocol version', schema: messageSchema },
    },
    errors: ['UNSUPPORTED_MEDIA_TYPE'],
    seconds: 120,
  }),
  openMcpStream: defineRoute({
    method: 'GET',
    path: '/mcp',
    tag,
    summary: 'Open a stream of an MCP session (not available)',
    role: 'viewer',
    resourceMetadata: MCP_RESOURCE_PATH,
    responses: noSession,
  }),
  endMcpSession: defineRoute({
    method: 'DELETE',
    path: '/mcp',
    tag,
    summary: 'End an MCP session (not available)',
    role: 'viewer',
    audit: 'nothing',
    resourceMetadata: MCP_RESOURCE_PATH,
    responses: noSession,
  }),
  readMcpResource: defineRoute({
    method: 'GET',
    path: MCP_RESOURCE_PATH,
    tag,
    summary: 'Read the OAuth 2.0 resource metadata of the MCP server',
    description: 'RFC 9728. A response 401 of `/mcp` names this URL.',
    role: 'public',
    responses: { 200: { description: 'The metadata', schema: protectedResourceSchema } },
  }),
} as const;
