import type { TraceFilter } from '@pilothouse/contract/learning/trace.schema';
import { idSchema } from '@pilothouse/contract/primitives.schema';

/** Conditions of a statement on `trace t`, and their parameters. */
export interface TraceConditions {
  /** Joined by AND. */
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** Selects the traces of a project that match a filter. The parameters begin with $1. */
export function traceConditions(project: string, filter: TraceFilter): TraceConditions {
  const values: unknown[] = [project];
  const parts = ['t.project_id = $1'];
  const add = (value: unknown, condition: (parameter: string) => string) => {
    if (value === undefined) return;
    values.push(value);
    parts.push(condition(`$${values.length}`));
  };
  const { runs, workflow, quality, needsReview, surface, model, from, to, search } = filter;
  add(runs, (p) => `t.run_id = ANY (${p}::uuid[])`);
  if (idSchema.safeParse(workflow).success) add(workflow, (p) => `t.workflow_id = ${p}::uuid`);
  else add(workflow, (p) => `t.workflow_name = ${p}`);
  add(quality, (p) => `t.quality = ANY (${p}::text[])`);
  if (needsReview !== undefined) parts.push(needsReview ? 't.needs_review' : 'NOT t.needs_review');
  add(surface, (p) => `t.surface = ${p}`);
  add(model, (p) => `t.model = ${p}`);
  add(from, (p) => `t.created_at >= ${p}::timestamptz`);
  add(to, (p) => `t.created_at < ${p}::timestamptz`);
  add(
    search?.toLowerCase(),
    (p) =>
      `(strpos(lower(t.goal), ${p}) > 0 OR strpos(lower(t.workflow_name), ${p}) > 0 OR starts_with(t.run_id::text, ${p}))`,
  );
  return { sql: parts.join(' AND '), values };
}
