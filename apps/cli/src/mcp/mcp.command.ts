import { createClient } from '@pilothouse/client';
import { createMcpServer } from '@pilothouse/mcp';
import type { Command } from 'commander';
import { findConnection, type ApiOptions } from '../api/connection-flags.ts';
import { newCommand, perform, processSource } from '../api/define-command.ts';

interface McpOptions extends ApiOptions {
  readonly readOnly?: true;
}

/** `pilothouse mcp`: serves the Model Context Protocol on stdin and stdout until stdin ends. */
export const mcpCommand = (source = processSource): Command =>
  newCommand(
    'mcp',
    'Serve runs and workflows to an agent by the Model Context Protocol, on stdin and stdout.',
    ['pilothouse mcp', 'pilothouse mcp --read-only'],
    source,
  )
    .option('--api-url <url>', 'API URL (default: PILOTHOUSE_URL, or the local installation)')
    .option('--api-key-file <file>', 'file containing the API key (default: PILOTHOUSE_API_KEY, or the local key)')
    .option('--read-only', 'offer only tools that change nothing')
    .action(async (options: McpOptions) => {
      const cli = source();
      await perform(cli, false, async () => {
        const { serveStdio, StdioServerTransport } = await import('@modelcontextprotocol/server/stdio');
        const { url, apiKey } = findConnection(cli, options);
        const client = createClient({ url, key: apiKey });
        const isReadOnly = options.readOnly === true;
        const closed = Promise.withResolvers<undefined>();
        const transport = new StdioServerTransport();
        // stdout has messages of the protocol only.
        const onError = (thrown: unknown) =>
          cli.terminal.err(thrown instanceof Error ? thrown.message : String(thrown));
        const handle = serveStdio((request) => createMcpServer({ client, isReadOnly, onError }, request), {
          transport,
          onerror: onError,
        });
        process.stdin.once('close', () => closed.resolve(undefined));
        process.stdin.once('end', () => closed.resolve(undefined));
        const stopListening = cli.onInterrupt(() => closed.resolve(undefined));
        await closed.promise;
        stopListening();
        await handle.close();
      });
    });
