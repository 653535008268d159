export { createMcpServer, MCP_INSTRUCTIONS, type McpServerSettings } from './mcp-server.ts';
