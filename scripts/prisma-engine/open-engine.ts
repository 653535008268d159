/** Prisma's schema engine on a database, without its native binary. */
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import type { SchemaEngine } from '@prisma/schema-engine-wasm';
import { createEngineAdapters } from './engine-adapter.ts';
import { explainEngineError, originalError, type EngineErrorView, type EngineErrorContext } from './engine-errors.ts';
import { loadSchemaEngine } from './engine-wasm.ts';

export interface EngineOptions {
  /** Missing: the engine can only compare schema files. */
  databaseUrl: string | undefined;
  /** Server for shadow databases, when not the one of `databaseUrl`. */
  shadowDatabaseUrl?: string | undefined;
  /** Schema files as [path, content]: the datamodel that the engine knows from the start. */
  datamodels?: [path: string, content: string][] | undefined;
}

export interface OpenEngine {
  engine: SchemaEngine;
  /** Reads an error that a method of the engine threw. */
  explain(error: unknown): EngineErrorView;
  /** Closes every connection of the engine. */
  close(): Promise<void>;
}

/**
 * Opens the engine over `@prisma/adapter-pg`. @throws the error of `pg` if the database cannot be reached or does not
 * exist
 */
export async function openEngine({ databaseUrl, shadowDatabaseUrl, datamodels }: EngineOptions): Promise<OpenEngine> {
  const { SchemaEngine } = await loadSchemaEngine();
  const { factory, lastScriptError, close } = createEngineAdapters(databaseUrl, shadowDatabaseUrl);
  const adapter = bindMigrationAwareSqlAdapterFactory(factory);
  const facts: EngineErrorContext = { lastScriptError, errorOf: (id) => adapter.errorRegistry.consumeError(id)?.error };
  try {
    const engine = await SchemaEngine.new({ datamodels }, () => {}, adapter);
    return { engine, explain: (error) => explainEngineError(error, facts), close };
  } catch (error) {
    await close();
    throw originalError(error, facts) ?? error;
  }
}
