/** Errors of migrations, with their fixes. */
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import pg from 'pg';
import { pgErrorCode, pgErrorMessage, sqlStates } from './pg-database.ts';

const quoteText = (name: string) => `'${name.replaceAll("'", "''")}'`;

/**
 * Describes the remains of a failed script: none if it is one transaction.
 * @param index that it builds concurrently, if it does nothing else
 */
export const describeRemains = (index: string | undefined) =>
  index === undefined
    ? 'It left no changes'
    : `An unfinished index "${index}" may remain, which serves no query but slows down writes: the next start removes it, ` +
      `as does the SQL statement DROP INDEX CONCURRENTLY IF EXISTS "${index}"`;

const resolveInstructions = (name: string) =>
  `Then mark the failed try as rolled back with the SQL statement ` +
  `UPDATE _prisma_migrations SET rolled_back_at = now() WHERE migration_name = ${quoteText(name)} AND finished_at IS NULL; ` +
  'and start again.';

/**
 * A migration failed just now. PostgreSQL rolled back its script, unless the script has separate transactions.
 * @param index that it builds concurrently, if it does nothing else: the next start rebuilds it automatically
 */
export function migrationFailed(
  name: string,
  reason: string,
  index: string | undefined,
  cause: unknown,
): PilothouseError {
  const remains =
    index === undefined ? `${describeRemains(index)}, unless its SQL ends transactions itself` : describeRemains(index);
  const next = index === undefined ? resolveInstructions(name) : 'Then start again.';
  return new PilothouseError(
    'MIGRATION_FAILED',
    `Migration ${name} failed: ${reason}. ${remains}. Fix the cause: the data, or its migration.sql. ${next}`,
    { details: { migration: name }, cause },
  );
}

/** Failed migrations of an earlier attempt block the deploy. */
export function earlierMigrationFailed(names: readonly string[]): PilothouseError {
  const [name = ''] = names;
  return new PilothouseError(
    'MIGRATION_FAILED',
    `Migration ${name} failed at an earlier start, so no further migration is applied. The reason is in the column "logs" of ` +
      `_prisma_migrations. Fix the cause: the data, or its migration.sql. ${resolveInstructions(name)}`,
    { details: { migration: name, failed: names } },
  );
}

/** The database was created by a version with other migrations of the same names. */
export function migrationsEdited(names: readonly string[]): PilothouseError {
  const [name = ''] = names;
  return new PilothouseError(
    'MIGRATION_FAILED',
    `Another version created this database: its migration ${name} has a different text. Set DATABASE_URL to an empty ` +
      'database, or start the version that created it. On one machine: run ./scripts/down and delete .pilothouse/.',
    { details: { migration: name, edited: names } },
  );
}

/** An obstacle other than a script blocks the migrations. */
export const migrationsNotApplied = (reason: string, cause?: unknown): PilothouseError =>
  new PilothouseError('MIGRATION_FAILED', `The migrations could not be applied: ${reason}`, { cause });

/** The complete PostgreSQL error in one line. */
export function describeDatabaseError(error: unknown): string {
  if (!(error instanceof pg.DatabaseError)) return pgErrorMessage(error);
  const { message, code, detail, hint, position } = error;
  return [
    `${message} (SQLSTATE ${code ?? 'unknown'})`,
    detail?.replace(/\.$/, ''),
    hint && `Hint: ${hint.replace(/\.$/, '')}`,
    position && `At character ${position} of the script`,
  ]
    .filter(Boolean)
    .join('. ');
}

/** The column `logs` of a failed migration. */
export function failureLogs(name: string, error: unknown): string {
  const database = error instanceof pg.DatabaseError ? error : undefined;
  const lines = [
    `${database?.severity ?? 'ERROR'}: ${pgErrorMessage(error)}`,
    database?.detail && `DETAIL: ${database.detail}`,
    database?.hint && `HINT: ${database.hint}`,
    database?.position && `POSITION: ${database.position}`,
  ];
  return [
    'A migration failed to apply. New migrations cannot be applied before the error is recovered from.',
    `Migration name: ${name}`,
    ...(database?.code ? [`Database error code: ${database.code}`] : []),
    `Database error:\n${lines.filter(Boolean).join('\n')}`,
  ].join('\n\n');
}

/** Rethrows an error of `pg` with its cause. The server is unavailable, the login is wrong, or a privilege is missing. */
export function rethrowConnectionError(error: unknown): never {
  const code = pgErrorCode(error);
  const answer = `PostgreSQL answered: ${pgErrorMessage(error)}`;
  if (code === sqlStates.wrongPassword || code === sqlStates.loginRefused) {
    throw new PilothouseError('UNAVAILABLE', `${answer}. Set DATABASE_URL to a login that this server knows.`, {
      cause: error,
    });
  }
  if (code === sqlStates.notAllowed) {
    throw new PilothouseError(
      'UNAVAILABLE',
      `${answer}. The login may not do this: grant it, or create the database yourself and set DATABASE_URL to it.`,
      { cause: error },
    );
  }
  if (error instanceof pg.DatabaseError) throw new PilothouseError('UNAVAILABLE', answer, { cause: error });
  throw new PilothouseError(
    'UNAVAILABLE',
    `PostgreSQL cannot be reached: ${pgErrorMessage(error)}. Start it, or set DATABASE_URL to its address.`,
    { cause: error },
  );
}
