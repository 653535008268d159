import { createClient, type Client } from '@pilothouse/client';
import type { ProposalView } from '@pilothouse/contract/api/proposals.routes';
import type { Page } from '@pilothouse/contract/api/query-params';
import type { RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { Job } from '@pilothouse/contract/job/job.schema';
import type { Trace, TraceDetail } from '@pilothouse/contract/learning/trace.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import type { RepeatedGoal, Savings } from '@pilothouse/contract/run/savings.schema';
import type { WorkflowView } from '@pilothouse/contract/workflow/workflow.schema';
import { openAsBlob } from 'node:fs';
import { basename, extname } from 'node:path';
import type { Api, WorkflowFile } from './api-port.ts';
import type { Cli } from './cli-context.ts';
import { findConnection, type ApiOptions } from './connection-flags.ts';

/** Maximum number of events of one response. */
const EVENTS_PER_PAGE = 1000;

/**
 * The data of a response. The types of the client and of the contract are generated from one source; commands use those of the contract.
 */
const dataOf = async <Data>(response: Promise<{ data?: unknown }>): Promise<Data> => (await response).data as Data;

/** The request of a workflow: YAML is sent as it was written, JSON as the definition. */
const requestOf = ({ definition, text }: WorkflowFile) =>
  text === null
    ? { body: definition }
    : {
        body: text as never,
        bodySerializer: (body: unknown) => String(body),
        headers: { 'content-type': 'application/yaml' },
      };

/**
 * Returns the API of the options, the environment or the local installation. The first call looks it up, so that an invalid
 * workflow file is reported without an API.
 * @throws CommandError as `findConnection`, from every method
 */
export function connectApi(cli: Pick<Cli, 'environment' | 'cwd'>, options: ApiOptions): Api {
  let created: Client | undefined;
  const client = () => {
    if (created) return created;
    const { url, apiKey } = findConnection(cli, options);
    return (created = createClient({ url, key: apiKey }));
  };
  const rest = () => client().api;
  const run = (id: string) => ({ path: { run: id } });
  const job = (id: string) => ({ path: { job: id } });
  const workflow = (name: string) => ({ path: { workflow: name } });
  const once = (key: string) => ({ header: { 'idempotency-key': key } });
  const flag = (value: boolean | undefined) => (value === undefined ? undefined : value ? 'true' : 'false');
  return {
    get url() {
      return client().url;
    },
    submit: (body, key) => dataOf(rest().POST('/v1/runs', { params: once(key), body })),
    runs: (query) => dataOf<Page<RunView>>(rest().GET('/v1/runs', { params: { query } })),
    run: (id, { wait, signal } = {}) =>
      dataOf(rest().GET('/v1/runs/{run}', { params: { ...run(id), query: { wait } }, signal })),
    cancel: (id) => dataOf(rest().POST('/v1/runs/{run}/cancel', { params: run(id) })),
    answer: (id, body) => dataOf(rest().POST('/v1/runs/{run}/answer', { params: run(id), body })),
    complete: (id, body) => dataOf(rest().POST('/v1/runs/{run}/complete', { params: run(id), body })),
    retry: (id, key) => dataOf(rest().POST('/v1/runs/{run}/retry', { params: { ...run(id), ...once(key) } })),
    compile: (id, body) => dataOf(rest().POST('/v1/runs/{run}/compile', { params: run(id), body })),
    proposals: (query) => dataOf<Page<ProposalView>>(rest().GET('/v1/proposals', { params: { query } })),
    proposal: (proposal) =>
      dataOf<ProposalView>(rest().GET('/v1/proposals/{proposal}', { params: { path: { proposal } } })),
    publishProposal: (proposal, body) =>
      dataOf(rest().POST('/v1/proposals/{proposal}/publish', { params: { path: { proposal } }, body })),
    rejectProposal: (proposal) =>
      dataOf(rest().POST('/v1/proposals/{proposal}/reject', { params: { path: { proposal } } })),
    jobs: (query) => dataOf<Page<Job>>(rest().GET('/v1/learning/jobs', { params: { query } })),
    startEvaluation: (body) => dataOf<Job>(rest().POST('/v1/learning/evaluations', { body })),
    job: (id) => dataOf<Job>(rest().GET('/v1/learning/jobs/{job}', { params: job(id) })),
    cancelJob: (id) => dataOf<Job>(rest().POST('/v1/learning/jobs/{job}/cancel', { params: job(id) })),
    retryJob: (id, body) => dataOf<Job>(rest().POST('/v1/learning/jobs/{job}/retry', { params: job(id), body })),
    traces: ({ needsReview, ...query }) =>
      dataOf<Page<Trace>>(
        rest().GET('/v1/traces', { params: { query: { ...query, needsReview: flag(needsReview) } } }),
      ),
    trace: (id) => dataOf<TraceDetail>(rest().GET('/v1/traces/{run}', { params: run(id) })),
    traceStats: ({ needsReview, ...query }) =>
      dataOf(rest().GET('/v1/traces/stats', { params: { query: { ...query, needsReview: flag(needsReview) } } })),
    labelTraceStep: (id, ordinal, body) =>
      dataOf<TraceDetail>(
        rest().PUT('/v1/traces/{run}/steps/{ordinal}/label', { params: { path: { run: id, ordinal } }, body }),
      ),
    pinTrace: (id, pinned) =>
      dataOf<Trace>(rest().POST(pinned ? '/v1/traces/{run}/pin' : '/v1/traces/{run}/unpin', { params: run(id) })),
    scoreTraces: (body) => dataOf(rest().POST('/v1/traces/score', { body })),
    acceptTraceLabels: (body) => dataOf(rest().POST('/v1/traces/labels', { body })),
    savings: (query) => dataOf<Savings>(rest().GET('/v1/savings', { params: { query } })),
    repeatedGoals: ({ dismissed, ...query }) =>
      items<RepeatedGoal>(
        rest().GET('/v1/savings/repeated-goals', { params: { query: { ...query, dismissed: flag(dismissed) } } }),
      ),
    dismissRepeatedGoal: (goal) =>
      dataOf(rest().POST('/v1/savings/repeated-goals/{goal}/dismiss', { params: { path: { goal } } })),
    restoreRepeatedGoal: (goal) =>
      dataOf(rest().POST('/v1/savings/repeated-goals/{goal}/restore', { params: { path: { goal } } })),
    deadLetters: ({ retried, ...query }) =>
      dataOf(rest().GET('/v1/dead-letters', { params: { query: { ...query, retried: flag(retried) } } })),
    retryDeadLetters: (body) => dataOf(rest().POST('/v1/dead-letters/retry', { body })),
    steps: (id) => items(rest().GET('/v1/runs/{run}/steps', { params: run(id) })),
    artifacts: (id) => items(rest().GET('/v1/runs/{run}/artifacts', { params: run(id) })),
    events: (id, { follow = true, signal } = {}) =>
      follow ? client().events(id, { signal }) : storedEvents(client(), id),
    async upload(path) {
      const contentType = types[extname(path).toLowerCase()] ?? 'application/octet-stream';
      return client().upload({
        name: basename(path),
        contentType,
        content: await openAsBlob(path, { type: contentType }),
      });
    },
    workflows: ({ archived, ...query }) =>
      dataOf<Page<WorkflowView>>(
        rest().GET('/v1/workflows', { params: { query: { ...query, archived: flag(archived) } } }),
      ),
    workflow: (name, version) =>
      dataOf(rest().GET('/v1/workflows/{workflow}', { params: { ...workflow(name), query: { version } } })),
    createWorkflow: (file, publish) =>
      dataOf(rest().POST('/v1/workflows', { params: { query: { publish: flag(publish) } }, ...requestOf(file) })),
    updateWorkflow: (file, publish) =>
      dataOf(
        rest().PUT('/v1/workflows/{workflow}', {
          params: { ...workflow(file.definition.name), query: { publish: flag(publish) } },
          ...requestOf(file),
        }),
      ),
    publishWorkflow: (name, version) =>
      dataOf(rest().POST('/v1/workflows/{workflow}/publish', { params: workflow(name), body: { version } })),
    archiveWorkflow: (name) => dataOf(rest().POST('/v1/workflows/{workflow}/archive', { params: workflow(name) })),
    unarchiveWorkflow: (name) => dataOf(rest().POST('/v1/workflows/{workflow}/unarchive', { params: workflow(name) })),
    keys: (query) => dataOf(rest().GET('/v1/api-keys', { params: { query } })),
    createKey: (body) => dataOf(rest().POST('/v1/api-keys', { body })),
    revokeKey: (key) => dataOf(rest().DELETE('/v1/api-keys/{key}', { params: { path: { key } } })),
    datasets: (query) => dataOf(rest().GET('/v1/datasets', { params: { query } })),
    dataset: (dataset) => dataOf(rest().GET('/v1/datasets/{dataset}', { params: { path: { dataset } } })),
    createDataset: (body) => dataOf(rest().POST('/v1/datasets', { body })),
    createDatasetVersion: (dataset) =>
      dataOf(rest().POST('/v1/datasets/{dataset}/versions', { params: { path: { dataset } } })),
    deleteDataset: (dataset) => dataOf(rest().DELETE('/v1/datasets/{dataset}', { params: { path: { dataset } } })),
    datasetExports: (dataset) => items(rest().GET('/v1/datasets/{dataset}/exports', { params: { path: { dataset } } })),
    createDatasetExport: (dataset, body) =>
      dataOf(rest().POST('/v1/datasets/{dataset}/exports', { params: { path: { dataset } }, body })),
    datasetExport: (dataset, id) =>
      dataOf(rest().GET('/v1/datasets/{dataset}/exports/{export}', { params: { path: { dataset, export: id } } })),
    datasetFiles: (dataset, id, query) =>
      dataOf(
        rest().GET('/v1/datasets/{dataset}/exports/{export}/files', {
          params: { path: { dataset, export: id }, query },
        }),
      ),
    registeredModels: (query) => dataOf(rest().GET('/v1/registry/models', { params: { query } })),
    registeredModel: (model) => dataOf(rest().GET('/v1/registry/models/{model}', { params: { path: { model } } })),
    registerModel: (body) => dataOf(rest().POST('/v1/registry/models', { body })),
    startShadow: (model, percent, reason) =>
      dataOf(
        rest().POST('/v1/registry/models/{model}/shadow', { params: { path: { model } }, body: { percent, reason } }),
      ),
    startCanary: (model, percent, reason) =>
      dataOf(
        rest().POST('/v1/registry/models/{model}/canary', { params: { path: { model } }, body: { percent, reason } }),
      ),
    promoteModel: (model, reason) =>
      dataOf(rest().POST('/v1/registry/models/{model}/promote', { params: { path: { model } }, body: { reason } })),
    rollBackModel: (model, reason) =>
      dataOf(rest().POST('/v1/registry/models/{model}/roll-back', { params: { path: { model } }, body: { reason } })),
    deleteRegisteredModel: (model) =>
      dataOf(rest().DELETE('/v1/registry/models/{model}', { params: { path: { model } } })),
    startTuning: (body) => dataOf(rest().POST('/v1/tuning/jobs', { body })),
    estimateTuning: (body) => dataOf(rest().POST('/v1/tuning/estimate', { body })),
    tuningEvents: (id) => dataOf(rest().GET('/v1/tuning/jobs/{job}/events', { params: job(id) })),
    profiles: (query) => dataOf(rest().GET('/v1/profiles', { params: { query } })),
    importProfile: (profile, body) =>
      dataOf(rest().PUT('/v1/profiles/{profile}', { params: { path: { profile } }, body })),
    deleteProfile: (profile) => dataOf(rest().DELETE('/v1/profiles/{profile}', { params: { path: { profile } } })),
    fleets: () => items(rest().GET('/v1/fleets')),
    pauseFleet: (fleet) => dataOf(rest().POST('/v1/fleets/{fleet}/pause', { params: { path: { fleet } } })),
    resumeFleet: (fleet) => dataOf(rest().POST('/v1/fleets/{fleet}/resume', { params: { path: { fleet } } })),
    drainWorker: (fleet, worker) =>
      dataOf(rest().POST('/v1/fleets/{fleet}/workers/{worker}/drain', { params: { path: { fleet, worker } } })),
    cordonWorker: (fleet, worker) =>
      dataOf(rest().POST('/v1/fleets/{fleet}/workers/{worker}/cordon', { params: { path: { fleet, worker } } })),
    uncordonWorker: (fleet, worker) =>
      dataOf(rest().POST('/v1/fleets/{fleet}/workers/{worker}/uncordon', { params: { path: { fleet, worker } } })),
    queues: () => items(rest().GET('/v1/queues')),
    project: () => dataOf(rest().GET('/v1/projects/current')),
    updateProject: (body) => dataOf(rest().PATCH('/v1/projects/current', { body })),
    retain: (dryRun) => dataOf(rest().POST('/v1/retention/runs', { body: { dryRun } })),
  };
}

const items = async <Item>(response: Promise<{ data?: unknown }>): Promise<Item[]> =>
  (await dataOf<{ items: Item[] }>(response)).items;

/** The stored events, without waiting for new ones. */
async function* storedEvents({ api }: Client, id: string): AsyncGenerator<RunEvent> {
  let lastSeq = 0;
  for (;;) {
    const query = { format: 'json', after: lastSeq, limit: EVENTS_PER_PAGE } as const;
    const page = await dataOf<{ items: RunEvent[]; after: number }>(
      api.GET('/v1/runs/{run}/events', { params: { path: { run: id }, query } }),
    );
    yield* page.items;
    if (page.items.length < EVENTS_PER_PAGE) return;
    lastSeq = page.after;
  }
}

const types: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.gif': 'image/gif',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.webp': 'image/webp',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  '.zip': 'application/zip',
};
