import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Client } from '@pilothouse/client';
import { fieldErrors } from '@pilothouse/contract/errors/field-errors';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import type { Timers } from '@pilothouse/core/time/timers';
import { z } from 'zod';

/** JSON Schema of a tool's arguments. */
export interface ArgumentsSchema {
  readonly type: 'object';
  readonly [keyword: string]: unknown;
}

/** Context of a tool call. Its client has the rights of the caller. */
export interface ToolContext {
  readonly client: Client;
  /** Returns the address of a signed URL of the API. */
  readonly objectUrl: (url: string) => URL;
  readonly timers: Timers;
  /** Aborts when the client cancels the call or disconnects. */
  readonly signal: AbortSignal;
  /** Reports the progress of a run, if the client asked for it. */
  readonly report: (run: RunView) => Promise<void>;
}

/** A run that a tool started. The server waits for it, or hands it over as a task. */
export interface StartedRun {
  readonly run: RunView;
  readonly waitSeconds: number;
}

/** A tool of the server. */
export interface McpTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ArgumentsSchema;
  /** True: it changes nothing, and viewers may call it. */
  readonly isReadOnly: boolean;
  /** @throws PilothouseError of the API */
  call(args: unknown, context: ToolContext): Promise<CallToolResult | StartedRun>;
}

export const isStartedRun = (outcome: CallToolResult | StartedRun): outcome is StartedRun => 'waitSeconds' in outcome;

/** JSON Schema of an arguments schema, without the definitions that clients of small models do not resolve. */
export const argumentsSchema = (schema: z.ZodObject): ArgumentsSchema => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return { ...rest, type: 'object' };
};

/** The error of invalid arguments. @param base place of the parsed value in them */
export const invalidArguments = (error: z.ZodError, base: readonly PropertyKey[] = []): PilothouseError =>
  new PilothouseError('VALIDATION_FAILED', 'The arguments are invalid', { fields: fieldErrors(error, base) });

/** Defines a tool whose arguments are validated before it is called. */
export function defineTool<Arguments>(
  tool: Pick<McpTool, 'name' | 'title' | 'description' | 'isReadOnly'> & {
    readonly schema: z.ZodObject & z.ZodType<Arguments>;
    call(args: Arguments, context: ToolContext): Promise<CallToolResult | StartedRun>;
  },
): McpTool {
  const { schema, call, ...facts } = tool;
  return {
    ...facts,
    inputSchema: argumentsSchema(schema),
    async call(args, context) {
      const parsed = schema.safeParse(args ?? {});
      if (parsed.success) return call(parsed.data, context);
      throw invalidArguments(parsed.error);
    },
  };
}
