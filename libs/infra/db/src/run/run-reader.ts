import type { Page } from '@pilothouse/contract/api/query-params';
import type { ListRunsQuery } from '@pilothouse/contract/api/runs.routes';
import type { RunEvent } from '@pilothouse/contract/events/event-log.schema';
import { tiers } from '@pilothouse/contract/model/tier-names';
import { type Json, idSchema } from '@pilothouse/contract/primitives.schema';
import type { RunEgress } from '@pilothouse/contract/project/egress.schema';
import { type AnswerSources, answerSourcesSchema } from '@pilothouse/contract/run/answer-sources.schema';
import type { ArtifactKind, ArtifactView } from '@pilothouse/contract/run/artifact.schema';
import type { Budget } from '@pilothouse/contract/run/budget.schema';
import type { RunCapture } from '@pilothouse/contract/run/capture.schema';
import { isTerminal } from '@pilothouse/contract/run/run-status';
import type { RunStepView, RunView, TierUsage } from '@pilothouse/contract/run/run.schema';
import { isBlock } from '@pilothouse/contract/workflow/control-flow.schema';
import type { WorkflowDefinition } from '@pilothouse/contract/workflow/workflow.schema';
import type { Pool } from '../client/pg-pool.ts';
import { stepNumber } from '@pilothouse/core/interpreter/step-number';
import { findStep, isLinear, linearStepPath } from '@pilothouse/core/interpreter/step-path';
import type { Prisma, PrismaClient } from '../generated/client.ts';
import { parseInstantCursor, beforeCursor, toPage, decodeCursor } from '../client/cursor-pagination.ts';
import { storedDefinition, escapeLike } from '../client/prisma-client.ts';
import { readEventsAfter } from './run-events.ts';
import { listedRunColumns, runColumns, toRunStepView, toRunView } from './run-row-view.ts';

/** $2: the names of tiers, the cheapest first; a step has the index of its tier. */
const TIERS = `
SELECT tier, sum(steps)::int AS steps, sum(seconds)::float8 AS seconds, sum(calls)::int AS calls, sum(tokens)::float8 AS tokens,
  sum(usd)::float8 AS usd, sum(model_seconds)::float8 AS "modelSeconds"
FROM (
  SELECT ($2::text[])[tier + 1] AS tier, count(*) AS steps, coalesce(sum(extract(epoch FROM finished_at - started_at)), 0) AS seconds,
    0 AS calls, 0 AS tokens, 0 AS usd, 0 AS model_seconds
  FROM run_step WHERE run_id = $1 AND tier IS NOT NULL GROUP BY tier
  UNION ALL
  SELECT coalesce(data->>'tier', CASE data->>'role' WHEN 'plan' THEN 'replan' WHEN 'vision' THEN 'vision' ELSE 'text' END), 0, 0,
    count(*), sum((data->>'inputTokens')::float8 + (data->>'outputTokens')::float8), coalesce(sum((data->>'usd')::float8), 0),
    sum((data->>'durationMs')::float8) / 1000
  FROM run_event WHERE run_id = $1 AND type = 'model.called' GROUP BY 1
) AS parts GROUP BY tier ORDER BY array_position($2::text[], tier)`;

/** Usage of each tier in a run, from its steps and events; empty once these are deleted. */
export async function readTierUsage(pool: Pool, run: string): Promise<TierUsage[]> {
  const { rows } = await pool.query<TierUsage>({ name: 'run-tiers', text: TIERS, values: [run, tiers] });
  return rows;
}

/** Sources of the answers of a run, from its events; empty once these are deleted. A repeated step has its last answer. */
export async function readAnswerSources(pool: Pool, run: string): Promise<AnswerSources[]> {
  const { rows } = await pool.query<{ data: { branchPath?: string } }>({
    name: 'run-answer-sources',
    text: `SELECT data FROM run_event WHERE run_id = $1 AND type = 'agent.answer_sources' ORDER BY seq`,
    values: [run],
  });
  const answers = new Map<string, AnswerSources>();
  for (const { data } of rows) {
    const parsed = answerSourcesSchema.safeParse(data);
    if (!parsed.success) continue;
    const { step, branch } = parsed.data;
    const key = JSON.stringify([step, branch, data.branchPath]);
    // A repeated step moves to its last answer.
    answers.delete(key);
    answers.set(key, parsed.data);
  }
  return [...answers.values()];
}

/** A run and the number of its last event. */
export interface RunWithSeq {
  view: RunView;
  eventSeq: number;
}

/** Submission of a run, to submit it again. */
export interface RunSubmission {
  fleet: string;
  workflow: { id: string; version: number } | null;
  workflowName: string;
  surface: string;
  definition: WorkflowDefinition;
  stepCount: number;
  inputs: Record<string, Json>;
  secretNames: string[];
  secrets: Buffer | null;
  /** Name of the project secret by secret input. */
  secretReferences: Record<string, string>;
  priority: number;
  budget: Budget;
  capture: RunCapture;
  egress: RunEgress | null;
  labels: Record<string, string>;
  model: string | null;
}

/** A file of a run with its object key. */
export type StoredArtifact = Omit<ArtifactView, 'url'> & { key: string };

/** Reads runs for clients, each within its project. */
export class RunReader {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly pool: Pool,
  ) {}

  async get(project: string, id: string): Promise<RunWithSeq | null> {
    const row = await this.prisma.run.findFirst({ where: { id, projectId: project }, select: runColumns });
    if (!row) return null;
    const fleets = await this.fleetNames([row.fleetId]);
    const view = toRunView(row, fleets.get(row.fleetId) ?? 'gone');
    const hasCalls = view.usage.calls > 0;
    // Clients poll open runs, and each read takes all events of the run. An open run has the sources in its events.
    const hasSources = isTerminal(view.status) && (hasCalls || view.goal !== null);
    const [tiers, answerSources] = await Promise.all([
      hasCalls ? readTierUsage(this.pool, id) : [],
      hasSources ? readAnswerSources(this.pool, id) : [],
    ]);
    const details = { ...(tiers.length > 0 && { tiers }), ...(answerSources.length > 0 && { answerSources }) };
    return { view: { ...view, ...details }, eventSeq: row.eventSeq };
  }

  /** Runs without their outputs, newest first. Pages stay stable while new runs arrive. */
  async list(project: string, query: ListRunsQuery): Promise<Page<RunView>> {
    const fleet = query.fleet ? await this.prisma.fleet.findUnique({ where: { name: query.fleet } }) : null;
    if (query.fleet && !fleet) return { items: [], nextCursor: null };
    const position = decodeCursor(query.cursor, parseInstantCursor);
    const rows = await this.prisma.run.findMany({
      where: {
        projectId: project,
        ...(fleet && { fleetId: fleet.id }),
        ...(query.surface && { surface: query.surface }),
        ...(query.retryOf && { retryOf: query.retryOf }),
        ...(query.parentRunId && { parentRunId: query.parentRunId }),
        ...(query.unverified && { unverifiedSteps: { gt: 0 } }),
        AND: [
          ...(await this.statusFilter(query, fleet)),
          ...errorFilter(query),
          ...originFilter(query),
          ...workflowFilter(query),
          ...labelFilters(query),
          ...textFilter(query),
          ...instantFilters(query),
          ...(position ? beforeCursor(position) : []),
        ],
      },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: query.limit + 1,
      select: listedRunColumns,
    });
    const fleets = await this.fleetNames(rows.map(({ fleetId }) => fleetId));
    return toPage(
      rows,
      query.limit,
      (row) => toRunView({ ...row, output: null }, fleets.get(row.fleetId) ?? 'gone'),
      (row) => [row.createdAt.getTime(), row.id],
    );
  }

  /** Formulated to match an index: one covers active runs by fleet, another one failed and cancelled runs. Most runs are completed. */
  private async statusFilter({ status }: ListRunsQuery, fleet: { id: string } | null): Promise<Prisma.RunWhereInput[]> {
    if (!status) return [];
    if (status.includes('completed')) return [{ status: { in: status } }];
    const terminalStatuses = status.filter(isTerminal);
    const activeStatuses = status.filter((candidate) => !isTerminal(candidate));
    const readFleetIds = () => this.prisma.fleet.findMany({ select: { id: true } });
    const fleets = activeStatuses.length === 0 ? [] : fleet ? [fleet] : await readFleetIds();
    return [
      {
        OR: [
          { status: { in: activeStatuses }, fleetId: { in: fleets.map(({ id }) => id) } },
          { status: { in: terminalStatuses } },
        ].filter(({ status }) => status.in.length > 0),
      },
    ];
  }

  /** Steps that the run has reached, in order; without control flow also the remaining ones. Null when the run does not exist. */
  async steps(project: string, id: string): Promise<RunStepView[] | null> {
    const row = await this.prisma.run.findFirst({
      where: { id, projectId: project },
      select: { definition: true },
    });
    if (!row) return null;
    const rows = await this.prisma.runStep.findMany({ where: { runId: id } });
    const checkpoints = new Map(rows.map((step) => [step.step, step]));
    const definition = storedDefinition(row.definition);
    const { steps } = definition;
    if (isLinear(steps)) {
      return steps.flatMap((step, index) =>
        isBlock(step) ? [] : [withLabel(definition, toRunStepView(step, index, checkpoints.get(index)))],
      );
    }
    return rows
      .toSorted((a, b) => a.step - b.step)
      .map((row) =>
        withLabel(definition, toRunStepView(findStep(definition, row.path ?? linearStepPath(row.step)), row.step, row)),
      );
  }

  /** Stored files, oldest first; null when the run does not exist. */
  async artifacts(project: string, id: string): Promise<StoredArtifact[] | null> {
    const row = await this.prisma.run.findFirst({
      where: { id, projectId: project },
      select: {
        artifacts: { where: { storedAt: { not: null } }, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] },
      },
    });
    return (
      row?.artifacts.map(({ runId, kind, size, createdAt, step, name, contentType, key, id: artifact }) => ({
        id: artifact,
        run: runId,
        step,
        kind: kind as ArtifactKind,
        name,
        contentType,
        size: Number(size),
        key,
        createdAt: createdAt.toISOString(),
      })) ?? null
    );
  }

  /** Events after `seq` of a run that the caller may read, in their newest versions. */
  events(run: string, seq: number, limit: number): Promise<RunEvent[]> {
    return readEventsAfter(this.pool, run, seq, limit);
  }

  /** Definition of a run; null when the run does not exist. */
  async definition(project: string, id: string): Promise<WorkflowDefinition | null> {
    const row = await this.prisma.run.findFirst({ where: { id, projectId: project }, select: { definition: true } });
    return row && storedDefinition(row.definition);
  }

  /** Submission of a run; null when the run does not exist. */
  async source(project: string, id: string): Promise<RunSubmission | null> {
    const row = await this.prisma.run.findFirst({ where: { id, projectId: project } });
    if (!row) return null;
    const { workflowId, workflowVersion } = row;
    return {
      fleet: row.fleetId,
      workflow: workflowId !== null && workflowVersion !== null ? { id: workflowId, version: workflowVersion } : null,
      workflowName: row.workflowName,
      surface: row.surface,
      definition: storedDefinition(row.definition),
      stepCount: row.stepCount,
      inputs: row.inputs as Record<string, Json>,
      secretNames: row.secretNames,
      secrets: row.secrets && Buffer.from(row.secrets),
      secretReferences: (row.secretReferences ?? {}) as Record<string, string>,
      priority: row.priority,
      budget: row.budget as Budget,
      capture: row.capture as RunCapture,
      egress: row.egress as RunEgress | null,
      labels: row.labels as Record<string, string>,
      model: row.model,
    };
  }

  private async fleetNames(ids: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.prisma.fleet.findMany({
      where: { id: { in: [...new Set(ids)] } },
      select: { id: true, name: true },
    });
    return new Map(rows.map(({ id, name }) => [id, name]));
  }
}

const errorFilter = ({ error }: ListRunsQuery): Prisma.RunWhereInput[] =>
  error ? [{ OR: error.map((code) => ({ error: { path: ['code'], equals: code } })) }] : [];

/** Formulated to match an index of the expression `origin #> '{kind}'`. */
const originFilter = ({ origin }: ListRunsQuery): Prisma.RunWhereInput[] =>
  origin ? [{ OR: origin.map((kind) => ({ origin: { path: ['kind'], equals: kind } })) }] : [];

function workflowFilter({ workflow }: ListRunsQuery): Prisma.RunWhereInput[] {
  if (workflow === undefined) return [];
  return [idSchema.safeParse(workflow).success ? { workflowId: workflow } : { workflowName: workflow }];
}

const labelFilters = ({ labels = [] }: ListRunsQuery): Prisma.RunWhereInput[] =>
  labels.map((label) => {
    const colon = label.indexOf(':');
    return { labels: { path: [label.slice(0, colon)], equals: label.slice(colon + 1) } };
  });

/** Ids sort like their texts, so ids with a common prefix are adjacent. */
function idRange(text: string): Prisma.RunWhereInput[] {
  const digits = text.toLowerCase().replaceAll('-', '');
  if (!/^[0-9a-f]{4,32}$/.test(digits) || !/^[0-9a-f-]+$/i.test(text)) return [];
  const toUuid = (fill: string) => digits.padEnd(32, fill).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return [{ id: { gte: toUuid('0'), lte: toUuid('f') } }];
}

function textFilter({ text }: ListRunsQuery): Prisma.RunWhereInput[] {
  if (text === undefined) return [];
  const escaped = escapeLike(text);
  const within = { string_contains: escaped, mode: 'insensitive' } as const;
  return [
    {
      OR: [
        ...idRange(text),
        { workflowName: { contains: escaped, mode: 'insensitive' } },
        // A run submitted as a goal may open its page first.
        { definition: { path: ['steps', '0', 'goal'], ...within } },
        { definition: { path: ['steps', '1', 'goal'], ...within } },
        { error: { path: ['message'], ...within } },
      ],
    },
  ];
}

const instantFilters = ({ createdAfter, createdBefore }: ListRunsQuery): Prisma.RunWhereInput[] => [
  ...(createdAfter ? [{ createdAt: { gte: new Date(createdAfter) } }] : []),
  ...(createdBefore ? [{ createdAt: { lt: new Date(createdBefore) } }] : []),
];

/** A step with its number for people, if it differs from the path. */
function withLabel(definition: WorkflowDefinition, step: RunStepView): RunStepView {
  const label = stepNumber(definition, step.path);
  return label === step.path ? step : { ...step, label };
}
