/** Prisma's schema engine on a database, without its native binary. */
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import type { SchemaEngine } from '@prisma/schema-engine-wasm';
import { createEngineAdapters } from './adapter.ts';
import { loadEngine, takePanic } from './wasm.ts';

export interface EngineOptions {
  databaseUrl: string;
  /** Server for shadow databases, when not the one of `databaseUrl`. */
  shadowDatabaseUrl?: string | undefined;
  /** Schema files as [path, content]: the datamodel that the engine knows from the start. */
  datamodels?: [path: string, content: string][] | undefined;
}

export interface OpenEngine {
  /** Its methods throw errors that `describeEngineError` reads. */
  engine: SchemaEngine;
  /** The `pg.DatabaseError` with which PostgreSQL last refused a migration's SQL. */
  lastScriptError(): unknown;
  /** Closes every connection of the engine. */
  close(): Promise<void>;
}

/** Opens the engine over `@prisma/adapter-pg`. Throws when the database cannot be reached or does not exist. */
export async function openEngine({ databaseUrl, shadowDatabaseUrl, datamodels }: EngineOptions): Promise<OpenEngine> {
  const { SchemaEngine } = await loadEngine();
  const { factory, lastScriptError, close } = createEngineAdapters(databaseUrl, shadowDatabaseUrl);
  const adapter = bindMigrationAwareSqlAdapterFactory(factory);
  try {
    const engine = await SchemaEngine.new({ datamodels }, () => {}, adapter);
    return { engine, lastScriptError, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** An error of the engine for people and for the Prisma CLI. */
export interface EngineErrorView {
  message: string;
  /** Prisma's code, e.g. `P3009`, when the engine gave one. */
  code: string | null;
  meta: unknown;
}

/** Reads what a method of the engine threw: one message without the engine's own stack, and the panic's text when it crashed. */
export function describeEngineError(thrown: unknown): EngineErrorView {
  const panic = takePanic();
  if (panic) return { message: `Prisma's schema engine crashed: ${panic}`, code: null, meta: null };
  if (!(thrown instanceof Error)) return { message: String(thrown), code: null, meta: null };
  const { message, code, meta }: { message: string; code?: unknown; meta?: unknown } = thrown;
  return {
    message: message.replace(/\n\s+0: \w+::[\s\S]*$/, '').trim(),
    code: typeof code === 'string' ? code : null,
    meta: meta ?? null,
  };
}
