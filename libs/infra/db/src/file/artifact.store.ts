import type { ArtifactKind, ScreenshotMoment } from '@pilothouse/contract/run/artifact.schema';
import type { Attempt } from '@pilothouse/contract/worker/assignment.schema';
import type { Pool } from '../client/pg-pool.ts';

/** A file that a worker announces. */
export interface NewArtifact extends Attempt {
  id: string;
  step: number | null;
  kind: ArtifactKind;
  /** Null unless the file is a screenshot of a step. */
  moment?: ScreenshotMoment | null;
  name: string;
  contentType: string;
  size: number;
  key: string;
}

/** Announces an artifact, once. It exists for clients after `markStored`. */
export async function announceArtifact(pool: Pool, artifact: NewArtifact): Promise<void> {
  const { id, run, epoch, step, kind, moment = null, name, contentType, size, key } = artifact;
  await pool.query({
    name: 'announce-artifact',
    text: `INSERT INTO artifact (id, run_id, epoch, step, kind, moment, name, content_type, size, key)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
           ON CONFLICT (id) DO NOTHING`,
    values: [id, run, epoch, step, kind, moment, name, contentType, size, key],
  });
}

/** An artifact of this attempt, stored or not; null if unknown. */
export async function findArtifact(
  pool: Pool,
  attempt: Attempt,
  id: string,
): Promise<(NewArtifact & { stored: boolean }) | null> {
  const { rows } = await pool.query<NewArtifact & { stored: boolean }>({
    name: 'artifact-of',
    text: `SELECT id, run_id AS run, epoch, step, kind, moment, name, content_type AS "contentType", size, key, stored_at IS NOT NULL AS stored
           FROM artifact WHERE id = $1 AND run_id = $2 AND epoch = $3`,
    values: [id, attempt.run, attempt.epoch],
  });
  return rows[0] ?? null;
}

/** Returns whether the artifact is marked as stored. */
export async function isStored(pool: Pool, id: string): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'is-stored',
    text: 'SELECT FROM artifact WHERE id = $1 AND stored_at IS NOT NULL',
    values: [id],
  });
  return rowCount === 1;
}

/** Marks an artifact as stored, with its actual size. @returns whether it was new */
export async function markStored(pool: Pool, id: string, size: number): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'mark-stored',
    text: 'UPDATE artifact SET stored_at = now(), size = $2 WHERE id = $1 AND stored_at IS NULL',
    values: [id, size],
  });
  return rowCount === 1;
}

/**
 * Finds an upload that is an input of a run, or that the operator of its current attempt gave to a file chooser.
 * @returns null for any other
 */
export async function findInputFile(
  pool: Pool,
  run: string,
  upload: string,
): Promise<{ name: string; contentType: string; size: number; key: string } | null> {
  const { rows } = await pool.query<{ name: string; contentType: string; size: number; key: string }>({
    name: 'input-file',
    text: `SELECT u.name, u.content_type AS "contentType", u.size, u.key FROM upload u JOIN run r ON r.project_id = u.project_id
           WHERE r.id = $1 AND u.id = $2
             AND (EXISTS (SELECT 1 FROM json_each_text(r.inputs) i JOIN json_each(r.definition->'inputs') d ON d.key = i.key
                          WHERE i.value = $3 AND d.value->>'type' = 'file')
               OR EXISTS (SELECT 1 FROM control_session c WHERE c.run_id = r.id AND c.epoch = r.epoch AND u.id = ANY (c.files)))`,
    values: [run, upload, upload],
  });
  return rows[0] ?? null;
}

/** Secret inputs of a run. */
export interface RunSecrets {
  readonly project: string;
  /** Sealed values; null: no input has a value of its own. */
  readonly sealed: Buffer | null;
  readonly names: readonly string[];
  /** Name of the project secret by input. */
  readonly references: Readonly<Record<string, string>>;
}

/** Secret inputs of a run; null if it was deleted. */
export async function readRunSecrets(pool: Pool, run: string): Promise<RunSecrets | null> {
  const { rows } = await pool.query<RunSecrets>({
    name: 'run-secrets',
    text: `SELECT project_id AS project, secrets AS sealed, secret_names AS names, COALESCE(secret_references, '{}') AS "references"
           FROM run WHERE id = $1`,
    values: [run],
  });
  return rows[0] ?? null;
}
