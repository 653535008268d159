/**
 * Protocol between the Prisma CLI and its schema engine: JSON-RPC 2.0, one message per line. The CLI sends one request
 * at a time. The engine may ask the CLI to print text, and ignores the answer.
 */
import type { SchemaEngine } from '@prisma/schema-engine-wasm';
import { pgErrorMessage } from '../../libs/infra/db/src/migrate/pg-database.ts';
import type { EngineErrorView } from './engine-errors.ts';
import type { OpenEngine } from './open-engine.ts';

/** Method of the CLI → method of the engine. */
const methods = {
  applyMigrations: 'applyMigrations',
  createMigration: 'createMigration',
  dbExecute: 'dbExecute',
  devDiagnostic: 'devDiagnostic',
  diagnoseMigrationHistory: 'diagnoseMigrationHistory',
  diff: 'diff',
  ensureConnectionValidity: 'ensureConnectionValidity',
  evaluateDataLoss: 'evaluateDataLoss',
  getDatabaseVersion: 'version',
  introspect: 'introspect',
  introspectSql: 'introspectSql',
  markMigrationApplied: 'markMigrationApplied',
  markMigrationRolledBack: 'markMigrationRolledBack',
  reset: 'reset',
  schemaPush: 'schemaPush',
} as const satisfies Record<string, keyof SchemaEngine>;

interface Request {
  id: number;
  method: string;
  params: unknown;
}

/** Error codes of JSON-RPC; 4466 marks an error of the engine. */
const METHOD_UNKNOWN = -32601;
const ENGINE_ERROR = 4466;

/** The line as a request; undefined for an empty line and for the CLI's answers, which have no method. */
function parseRequest(line: string): Request | undefined {
  if (!line.trim()) return undefined;
  const message = JSON.parse(line) as { id?: unknown; method?: unknown; params?: unknown };
  if (typeof message.method !== 'string' || typeof message.id !== 'number') return undefined;
  return { id: message.id, method: message.method, params: message.params ?? {} };
}

const isMethod = (name: string): name is keyof typeof methods => Object.hasOwn(methods, name);

function call(engine: SchemaEngine, method: keyof typeof methods, params: unknown): Promise<unknown> {
  const target: (params: never) => Promise<unknown> = engine[methods[method]];
  return target.call(engine, params as never);
}

/** Output of `diff`. The native engine prints it through the CLI; the WebAssembly build returns it. */
function printedText(method: string, result: unknown): string | undefined {
  if (method !== 'diff' || typeof result !== 'object' || result === null || !('stdout' in result)) return undefined;
  return typeof result.stdout === 'string' ? result.stdout : undefined;
}

/** An error as the CLI reads it. */
function errorResponse(id: number, { message, code, migration }: EngineErrorView): object {
  const description = migration ? `Migration ${migration} failed: ${message}` : message;
  const data = { is_panic: false, message: description, meta: null, error_code: code };
  return { jsonrpc: '2.0', id, error: { code: ENGINE_ERROR, message: 'The schema engine refused.', data } };
}

/**
 * Answers one line of the CLI.
 * @param open gives the engine, opened at the first call
 * @param crashed rejects when the engine crashes, because its current call then never returns
 * @returns the messages to send, in order
 */
export async function handleRpcLine(
  line: string,
  open: () => Promise<OpenEngine>,
  crashed: Promise<never>,
): Promise<object[]> {
  const request = parseRequest(line);
  if (!request) return [];
  const { id, method, params } = request;
  if (!isMethod(method)) {
    return [
      { jsonrpc: '2.0', id, error: { code: METHOD_UNKNOWN, message: `There is no method "${method}"`, data: null } },
    ];
  }
  let instance: OpenEngine;
  try {
    instance = await open();
  } catch (error) {
    return [errorResponse(id, { message: pgErrorMessage(error), code: null, migration: null })];
  }
  try {
    const result = await Promise.race([crashed, call(instance.engine, method, params)]);
    const content = printedText(method, result);
    return [
      ...(content === undefined ? [] : [{ jsonrpc: '2.0', id: 1_000_000 + id, method: 'print', params: { content } }]),
      { jsonrpc: '2.0', id, result: result ?? null },
    ];
  } catch (error) {
    return [errorResponse(id, instance.explain(error))];
  }
}
