import { createClient, unwrapData, type Client } from '@pilothouse/client';
import type { RunEvent } from '@pilothouse/contract/events/event-log.schema';
import { openAsBlob } from 'node:fs';
import { basename, extname } from 'node:path';
import type { Api, WorkflowFile } from './api-port.ts';
import type { Cli } from './cli-context.ts';
import { findConnection, type ApiOptions } from './connection-flags.ts';

/** Maximum number of events of one response. */
const EVENTS_PER_PAGE = 1000;

/** The request of a workflow: YAML is sent as it was written, JSON as the definition. */
const requestOf = ({ definition, text }: WorkflowFile) =>
  text === null
    ? { body: definition }
    : {
        body: text,
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
  const idempotent = (key: string) => ({ header: { 'idempotency-key': key } });
  const flag = (value: boolean | undefined) => (value === undefined ? undefined : value ? 'true' : 'false');
  return {
    get url() {
      return client().url;
    },
    submit: (body, key) => unwrapData(rest().POST('/v1/runs', { params: idempotent(key), body })),
    runs: (query) => unwrapData(rest().GET('/v1/runs', { params: { query } })),
    run: (id, { wait, signal } = {}) =>
      unwrapData(rest().GET('/v1/runs/{run}', { params: { ...run(id), query: { wait } }, signal })),
    cancel: (id) => unwrapData(rest().POST('/v1/runs/{run}/cancel', { params: run(id) })),
    answer: (id, body) => unwrapData(rest().POST('/v1/runs/{run}/answer', { params: run(id), body })),
    complete: (id, body) => unwrapData(rest().POST('/v1/runs/{run}/complete', { params: run(id), body })),
    retry: (id, key) => unwrapData(rest().POST('/v1/runs/{run}/retry', { params: { ...run(id), ...idempotent(key) } })),
    compile: (id, body) => unwrapData(rest().POST('/v1/runs/{run}/compile', { params: run(id), body })),
    proposals: (query) => unwrapData(rest().GET('/v1/proposals', { params: { query } })),
    proposal: (proposal) => unwrapData(rest().GET('/v1/proposals/{proposal}', { params: { path: { proposal } } })),
    publishProposal: (proposal, body) =>
      unwrapData(rest().POST('/v1/proposals/{proposal}/publish', { params: { path: { proposal } }, body })),
    rejectProposal: (proposal) =>
      unwrapData(rest().POST('/v1/proposals/{proposal}/reject', { params: { path: { proposal } } })),
    jobs: (query) => unwrapData(rest().GET('/v1/learning/jobs', { params: { query } })),
    startEvaluation: (body) => unwrapData(rest().POST('/v1/learning/evaluations', { body })),
    job: (id) => unwrapData(rest().GET('/v1/learning/jobs/{job}', { params: job(id) })),
    jobStates: (id, options) => client().jobStates(id, options),
    cancelJob: (id) => unwrapData(rest().POST('/v1/learning/jobs/{job}/cancel', { params: job(id) })),
    retryJob: (id, body) => unwrapData(rest().POST('/v1/learning/jobs/{job}/retry', { params: job(id), body })),
    traces: ({ needsReview, ...query }) =>
      unwrapData(rest().GET('/v1/traces', { params: { query: { ...query, needsReview: flag(needsReview) } } })),
    trace: (id) => unwrapData(rest().GET('/v1/traces/{run}', { params: run(id) })),
    traceStats: ({ needsReview, ...query }) =>
      unwrapData(rest().GET('/v1/traces/stats', { params: { query: { ...query, needsReview: flag(needsReview) } } })),
    labelTraceStep: (id, ordinal, body) =>
      unwrapData(
        rest().PUT('/v1/traces/{run}/steps/{ordinal}/label', { params: { path: { run: id, ordinal } }, body }),
      ),
    pinTrace: (id, pinned) =>
      unwrapData(rest().POST(pinned ? '/v1/traces/{run}/pin' : '/v1/traces/{run}/unpin', { params: run(id) })),
    scoreTraces: (body) => unwrapData(rest().POST('/v1/traces/score', { body })),
    acceptTraceLabels: (body) => unwrapData(rest().POST('/v1/traces/labels', { body })),
    savings: (query) => unwrapData(rest().GET('/v1/savings', { params: { query } })),
    repeatedGoals: ({ dismissed, ...query }) =>
      items(rest().GET('/v1/savings/repeated-goals', { params: { query: { ...query, dismissed: flag(dismissed) } } })),
    dismissRepeatedGoal: (goal) =>
      noData(rest().POST('/v1/savings/repeated-goals/{goal}/dismiss', { params: { path: { goal } } })),
    restoreRepeatedGoal: (goal) =>
      noData(rest().POST('/v1/savings/repeated-goals/{goal}/restore', { params: { path: { goal } } })),
    deadLetters: ({ retried, ...query }) =>
      unwrapData(rest().GET('/v1/dead-letters', { params: { query: { ...query, retried: flag(retried) } } })),
    retryDeadLetters: (body) => unwrapData(rest().POST('/v1/dead-letters/retry', { body })),
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
      unwrapData(rest().GET('/v1/workflows', { params: { query: { ...query, archived: flag(archived) } } })),
    workflow: (name, version) =>
      unwrapData(rest().GET('/v1/workflows/{workflow}', { params: { ...workflow(name), query: { version } } })),
    workflowVersions: (name, query) =>
      unwrapData(rest().GET('/v1/workflows/{workflow}/versions', { params: { ...workflow(name), query } })),
    createWorkflow: (file, publish) =>
      unwrapData(rest().POST('/v1/workflows', { params: { query: { publish: flag(publish) } }, ...requestOf(file) })),
    updateWorkflow: (file, publish) =>
      unwrapData(
        rest().PUT('/v1/workflows/{workflow}', {
          params: { ...workflow(file.definition.name), query: { publish: flag(publish) } },
          ...requestOf(file),
        }),
      ),
    publishWorkflow: (name, version) =>
      unwrapData(rest().POST('/v1/workflows/{workflow}/publish', { params: workflow(name), body: { version } })),
    archiveWorkflow: (name) => unwrapData(rest().POST('/v1/workflows/{workflow}/archive', { params: workflow(name) })),
    unarchiveWorkflow: (name) =>
      unwrapData(rest().POST('/v1/workflows/{workflow}/unarchive', { params: workflow(name) })),
    audit: (query) => unwrapData(rest().GET('/v1/audit', { params: { query } })),
    async exportAudit(query) {
      const { response } = await rest().GET('/v1/audit/export', { params: { query }, parseAs: 'stream' });
      return response.body ?? new ReadableStream();
    },
    keys: (query) => unwrapData(rest().GET('/v1/api-keys', { params: { query } })),
    createKey: (body) => unwrapData(rest().POST('/v1/api-keys', { body })),
    revokeKey: (key) => unwrapData(rest().DELETE('/v1/api-keys/{key}', { params: { path: { key } } })),
    datasets: (query) => unwrapData(rest().GET('/v1/datasets', { params: { query } })),
    dataset: (dataset) => unwrapData(rest().GET('/v1/datasets/{dataset}', { params: { path: { dataset } } })),
    createDataset: (body) => unwrapData(rest().POST('/v1/datasets', { body })),
    createDatasetVersion: (dataset) =>
      unwrapData(rest().POST('/v1/datasets/{dataset}/versions', { params: { path: { dataset } } })),
    deleteDataset: (dataset) => unwrapData(rest().DELETE('/v1/datasets/{dataset}', { params: { path: { dataset } } })),
    datasetExports: (dataset) => items(rest().GET('/v1/datasets/{dataset}/exports', { params: { path: { dataset } } })),
    createDatasetExport: (dataset, body) =>
      unwrapData(rest().POST('/v1/datasets/{dataset}/exports', { params: { path: { dataset } }, body })),
    datasetExport: (dataset, id) =>
      unwrapData(rest().GET('/v1/datasets/{dataset}/exports/{export}', { params: { path: { dataset, export: id } } })),
    datasetFiles: (dataset, id, query) =>
      unwrapData(
        rest().GET('/v1/datasets/{dataset}/exports/{export}/files', {
          params: { path: { dataset, export: id }, query },
        }),
      ),
    modelPrices: () => unwrapData(rest().GET('/v1/models/prices')),
    checkModel: (model) =>
      unwrapData(rest().POST('/v1/models/check', { body: { ...(model !== undefined && { model }) } })),
    registeredModels: (query) => unwrapData(rest().GET('/v1/registry/models', { params: { query } })),
    registeredModel: (model) => unwrapData(rest().GET('/v1/registry/models/{model}', { params: { path: { model } } })),
    registerModel: (body) => unwrapData(rest().POST('/v1/registry/models', { body })),
    startShadow: (model, percent, reason) =>
      unwrapData(
        rest().POST('/v1/registry/models/{model}/shadow', { params: { path: { model } }, body: { percent, reason } }),
      ),
    startCanary: (model, percent, reason) =>
      unwrapData(
        rest().POST('/v1/registry/models/{model}/canary', { params: { path: { model } }, body: { percent, reason } }),
      ),
    promoteModel: (model, reason) =>
      unwrapData(rest().POST('/v1/registry/models/{model}/promote', { params: { path: { model } }, body: { reason } })),
    rollBackModel: (model, reason) =>
      unwrapData(
        rest().POST('/v1/registry/models/{model}/roll-back', { params: { path: { model } }, body: { reason } }),
      ),
    deleteRegisteredModel: (model) =>
      unwrapData(rest().DELETE('/v1/registry/models/{model}', { params: { path: { model } } })),
    startTuning: (body) => unwrapData(rest().POST('/v1/tuning/jobs', { body })),
    estimateTuning: (body) => unwrapData(rest().POST('/v1/tuning/estimate', { body })),
    tuningEvents: (id) => unwrapData(rest().GET('/v1/tuning/jobs/{job}/events', { params: job(id) })),
    profiles: (query) => unwrapData(rest().GET('/v1/profiles', { params: { query } })),
    importProfile: (profile, body) =>
      unwrapData(rest().PUT('/v1/profiles/{profile}', { params: { path: { profile } }, body })),
    deleteProfile: (profile) => unwrapData(rest().DELETE('/v1/profiles/{profile}', { params: { path: { profile } } })),
    secrets: (query) => unwrapData(rest().GET('/v1/secrets', { params: { query } })),
    saveSecret: (secret, body) =>
      unwrapData(rest().PUT('/v1/secrets/{secret}', { params: { path: { secret } }, body })),
    deleteSecret: (secret) => unwrapData(rest().DELETE('/v1/secrets/{secret}', { params: { path: { secret } } })),
    fleets: () => items(rest().GET('/v1/fleets')),
    pauseFleet: (fleet) => unwrapData(rest().POST('/v1/fleets/{fleet}/pause', { params: { path: { fleet } } })),
    resumeFleet: (fleet) => unwrapData(rest().POST('/v1/fleets/{fleet}/resume', { params: { path: { fleet } } })),
    drainWorker: (fleet, worker) =>
      unwrapData(rest().POST('/v1/fleets/{fleet}/workers/{worker}/drain', { params: { path: { fleet, worker } } })),
    cordonWorker: (fleet, worker) =>
      unwrapData(rest().POST('/v1/fleets/{fleet}/workers/{worker}/cordon', { params: { path: { fleet, worker } } })),
    uncordonWorker: (fleet, worker) =>
      unwrapData(rest().POST('/v1/fleets/{fleet}/workers/{worker}/uncordon', { params: { path: { fleet, worker } } })),
    queues: () => items(rest().GET('/v1/queues')),
    project: () => unwrapData(rest().GET('/v1/projects/current')),
    updateProject: (body) => unwrapData(rest().PATCH('/v1/projects/current', { body })),
    retain: (dryRun) => unwrapData(rest().POST('/v1/retention/runs', { body: { dryRun } })),
  };
}

const items = async <Item>(response: Promise<{ data: { items: Item[] } }>): Promise<Item[]> =>
  (await unwrapData(response)).items;

const noData = async (response: Promise<unknown>): Promise<void> => void (await response);

/** The stored events, without waiting for new ones. */
async function* storedEvents({ api }: Client, id: string): AsyncGenerator<RunEvent> {
  let lastSeq = 0;
  for (;;) {
    const query = { format: 'json', after: lastSeq, limit: EVENTS_PER_PAGE } as const;
    const page = await unwrapData(api.GET('/v1/runs/{run}/events', { params: { path: { run: id }, query } }));
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
