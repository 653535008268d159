/** Makes errors of the schema engine readable. Their message contains a stack, and only a part of the error of PostgreSQL. */
import { pgErrorMessage } from '../../libs/infra/db/src/migrate/pg-database.ts';
import { describeDatabaseError } from '../../libs/infra/db/src/migrate/migration-errors.ts';
import { consumePanicMessage } from './engine-wasm.ts';

/** An error of the engine for people and for the Prisma CLI. */
export interface EngineErrorView {
  message: string;
  /** Prisma's code, e.g. `P3009`, when the engine gave one. */
  code: string | null;
  /** Name of the migration whose script PostgreSQL refused. */
  migration: string | null;
}

/** Sources of details that an error of the engine does not contain. */
export interface EngineErrorContext {
  /** Error of PostgreSQL for the last rejected script. */
  lastScriptError(): unknown;
  /** Error of the adapter for this number, which the engine passes on. */
  errorOf(id: number): unknown;
}

/** Error of the adapter, which the engine passes on as a number. */
export function originalError(error: unknown, { errorOf }: EngineErrorContext): unknown {
  const [, id] = /External error id#(\d+)/.exec(pgErrorMessage(error)) ?? [];
  return id === undefined ? undefined : errorOf(Number(id));
}

/** Reads anything thrown by a method of the engine. */
export function explainEngineError(error: unknown, facts: EngineErrorContext): EngineErrorView {
  const panic = consumePanicMessage();
  if (panic) return { message: `Prisma's schema engine crashed: ${panic}`, code: null, migration: null };

  const text = pgErrorMessage(error);
  const original =
    originalError(error, facts) ?? (text.includes('::apply_script') ? facts.lastScriptError() : undefined);
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
  return {
    message: original === undefined ? withoutStack(text) : describeDatabaseError(original),
    code,
    migration: /migration_name="([^"]+)"/.exec(text)?.[1] ?? null,
  };
}

/** The engine's stack begins with a line such as `   0: schema_commands::commands::...`. */
const withoutStack = (text: string) => text.replace(/\n\s+0: \w+::[\s\S]*$/, '').trim();
