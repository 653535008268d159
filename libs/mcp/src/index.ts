export { createMcpServer, type McpServerSettings } from './mcp-server.ts';
