import {
  deadLetterCodes,
  type DeadLetter,
  type DeadLetterCode,
  type DeadLetterCounts,
  type DeadLetterPage,
  type ListDeadLettersQuery,
} from '@pilothouse/contract/api/dead-letters.routes';
import type { RunStatus } from '@pilothouse/contract/run/run-status';
import type { PrismaClient } from '../generated/client.ts';
import { parseInstantCursor, toPage, decodeCursor } from '../client/cursor-pagination.ts';
import type { Pool } from '../client/pg-pool.ts';
import { readAttempts } from './run-events.ts';
import { listedRunColumns, toRunView } from './run-row-view.ts';

export interface DeadLetterFilter {
  codes?: readonly DeadLetterCode[];
  ids?: readonly string[];
  /** Only retried ones, or only others. */
  retried?: boolean;
}

/** A dead letter that may be retried. */
export interface DeadLetterRef {
  id: string;
  createdAt: Date;
  retried: boolean;
}

// $1: project, $2: codes, $3: ids or null. Retried runs are collected once, not for each dead letter.
const DEAD = `
SELECT r.id, r.created_at AS "createdAt", r.error->>'code' AS code,
  r.id IN (SELECT t.retry_of FROM run t WHERE t.project_id = $1 AND t.retry_of IS NOT NULL) AS retried
FROM run r
WHERE r.project_id = $1 AND r.status = 'failed' AND r.error->>'code' = ANY ($2) AND ($3::uuid[] IS NULL OR r.id = ANY ($3))
`;

interface Retry {
  of: string;
  id: string;
  status: RunStatus;
  createdAt: Date;
}

/** Runs that failed because of infrastructure, not because of a step. */
export class DeadLetterStore {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly pool: Pool,
  ) {}

  /** A page of dead letters, newest first, with counts by reason. */
  async list(project: string, { errorCode, retried, limit, cursor }: ListDeadLettersQuery): Promise<DeadLetterPage> {
    const position = decodeCursor(cursor, parseInstantCursor);
    const [{ rows }, counts] = await Promise.all([
      this.pool.query<DeadLetterRef>(
        `SELECT d.id, d."createdAt" FROM (${DEAD}) d
         WHERE ($4::boolean IS NULL OR d.retried = $4) AND ($5::timestamptz IS NULL OR (d."createdAt", d.id) < ($5, $6::uuid))
         ORDER BY d."createdAt" DESC, d.id DESC LIMIT $7`,
        [
          project,
          errorCode ?? deadLetterCodes,
          null,
          retried ?? null,
          position?.instant ?? null,
          position?.id ?? null,
          limit + 1,
        ],
      ),
      this.counts(project),
    ]);
    const letters = await this.letters(rows.slice(0, limit).map(({ id }) => id));
    const page = toPage(
      rows,
      limit,
      ({ id }) => letters.get(id),
      ({ id, createdAt }) => [createdAt.getTime(), id],
    );
    // A run that retention has removed meanwhile is skipped.
    return { ...page, items: page.items.filter((letter) => letter !== undefined), counts };
  }

  /** Selected dead letters, oldest first, with the number beyond the limit. */
  async find(
    project: string,
    { codes, ids, retried }: DeadLetterFilter,
    limit: number,
  ): Promise<{ found: DeadLetterRef[]; left: number }> {
    const { rows } = await this.pool.query<DeadLetterRef & { total: number }>(
      `SELECT d.id, d."createdAt", d.retried, count(*) OVER () AS total FROM (${DEAD}) d
       WHERE $4::boolean IS NULL OR d.retried = $4 ORDER BY d."createdAt", d.id LIMIT $5`,
      [project, codes ?? deadLetterCodes, ids ?? null, retried ?? null, limit],
    );
    return { found: rows, left: (rows[0]?.total ?? 0) - rows.length };
  }

  private async counts(project: string): Promise<DeadLetterCounts> {
    const { rows } = await this.pool.query<DeadLetterCounts[number]>(
      `SELECT d.code, count(*) AS runs, count(*) FILTER (WHERE d.retried) AS retried FROM (${DEAD}) d
       GROUP BY d.code ORDER BY count(*) DESC, d.code`,
      [project, deadLetterCodes, null],
    );
    return rows;
  }

  private async letters(ids: readonly string[]): Promise<Map<string, DeadLetter>> {
    const [runs, attempts, retries] = await Promise.all([
      this.prisma.run.findMany({ where: { id: { in: [...ids] } }, select: listedRunColumns }),
      readAttempts(this.pool, ids),
      this.retries(ids),
    ]);
    const fleets = await this.prisma.fleet.findMany({
      where: { id: { in: [...new Set(runs.map(({ fleetId }) => fleetId))] } },
      select: { id: true, name: true },
    });
    const names = new Map(fleets.map(({ id, name }) => [id, name]));
    return new Map(
      runs.map((row) => [
        row.id,
        {
          run: toRunView({ ...row, output: null }, names.get(row.fleetId) ?? 'gone'),
          attempts: attempts.get(row.id) ?? [],
          retry: retries.get(row.id) ?? null,
        },
      ]),
    );
  }

  /** The newest retry of each run. */
  private async retries(ids: readonly string[]): Promise<Map<string, NonNullable<DeadLetter['retry']>>> {
    const { rows } = await this.pool.query<Retry>(
      `SELECT DISTINCT ON (retry_of) retry_of AS of, id, status, created_at AS "createdAt"
       FROM run WHERE retry_of = ANY ($1::uuid[]) ORDER BY retry_of, created_at DESC, id DESC`,
      [ids],
    );
    return new Map(rows.map(({ of, createdAt, ...retry }) => [of, { ...retry, createdAt: createdAt.toISOString() }]));
  }
}
