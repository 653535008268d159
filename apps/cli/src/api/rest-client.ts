import { createClient, type Client } from '@pilothouse/client';
import type { Page, ProposalView, RunEvent, RunView, WorkflowView } from '@pilothouse/contract';
import { openAsBlob } from 'node:fs';
import { basename, extname } from 'node:path';
import type { Api, WorkflowFile } from './api-port.ts';
import type { Cli } from './cli-context.ts';
import { findConnection, type ApiOptions } from './connection-flags.ts';

/** Most events of one answer. */
const EVENTS = 1000;

/**
 * What the client answered. Its types and those of the contract say the same, from one source in two ways; the commands, and all they
 * show, speak the contract's.
 */
const given = async <Answer>(asked: Promise<{ data?: unknown }>): Promise<Answer> => (await asked).data as Answer;

/** A workflow as it is sent: as it was written, next to the typed call, where that is YAML. */
const sent = ({ definition, text }: WorkflowFile) =>
  text === null
    ? { body: definition }
    : {
        body: text as never,
        bodySerializer: (body: unknown) => String(body),
        headers: { 'content-type': 'application/yaml' },
      };

/**
 * The API that the options, the environment or this clone say. Which one is found out when it is first asked: what is wrong with a
 * workflow file is said without any.
 * @throws CommandError as `findConnection`, from every method
 */
export function connectApi(cli: Pick<Cli, 'environment' | 'cwd'>, options: ApiOptions): Api {
  let made: Client | undefined;
  const client = () => {
    if (made) return made;
    const { url, apiKey } = findConnection(cli, options);
    return (made = createClient({ url, key: apiKey }));
  };
  const rest = () => client().api;
  const run = (id: string) => ({ path: { run: id } });
  const workflow = (name: string) => ({ path: { workflow: name } });
  const once = (key: string) => ({ header: { 'idempotency-key': key } });
  const flag = (value: boolean | undefined) => (value === undefined ? undefined : value ? 'true' : 'false');
  return {
    get url() {
      return client().url;
    },
    submit: (body, key) => given(rest().POST('/v1/runs', { params: once(key), body })),
    runs: (query) => given<Page<RunView>>(rest().GET('/v1/runs', { params: { query } })),
    run: (id, { wait, signal } = {}) =>
      given(rest().GET('/v1/runs/{run}', { params: { ...run(id), query: { wait } }, signal })),
    cancel: (id) => given(rest().POST('/v1/runs/{run}/cancel', { params: run(id) })),
    resume: (id, body) => given(rest().POST('/v1/runs/{run}/resume', { params: run(id), body })),
    dismiss: (id, body) => given(rest().POST('/v1/runs/{run}/dismiss', { params: run(id), body })),
    retry: (id, key) => given(rest().POST('/v1/runs/{run}/retry', { params: { ...run(id), ...once(key) } })),
    compile: (id, body) => given(rest().POST('/v1/runs/{run}/compile', { params: run(id), body })),
    proposals: (query) => given<Page<ProposalView>>(rest().GET('/v1/proposals', { params: { query } })),
    acceptProposal: (proposal, body) =>
      given(rest().POST('/v1/proposals/{proposal}/accept', { params: { path: { proposal } }, body })),
    rejectProposal: (proposal) =>
      given(rest().POST('/v1/proposals/{proposal}/reject', { params: { path: { proposal } } })),
    deadLetters: ({ retried, ...query }) =>
      given(rest().GET('/v1/dead-letters', { params: { query: { ...query, retried: flag(retried) } } })),
    retryDeadLetters: (body) => given(rest().POST('/v1/dead-letters/retry', { body })),
    steps: (id) => items(rest().GET('/v1/runs/{run}/steps', { params: run(id) })),
    artifacts: (id) => items(rest().GET('/v1/runs/{run}/artifacts', { params: run(id) })),
    events: (id, { follow = true, signal } = {}) => (follow ? client().events(id, { signal }) : past(client(), id)),
    async upload(path) {
      const contentType = types[extname(path).toLowerCase()] ?? 'application/octet-stream';
      return client().upload({
        name: basename(path),
        contentType,
        content: await openAsBlob(path, { type: contentType }),
      });
    },
    workflows: ({ archived, ...query }) =>
      given<Page<WorkflowView>>(
        rest().GET('/v1/workflows', { params: { query: { ...query, archived: flag(archived) } } }),
      ),
    workflow: (name, version) =>
      given(rest().GET('/v1/workflows/{workflow}', { params: { ...workflow(name), query: { version } } })),
    createWorkflow: (file, publish) =>
      given(rest().POST('/v1/workflows', { params: { query: { publish: flag(publish) } }, ...sent(file) })),
    updateWorkflow: (file, publish) =>
      given(
        rest().PUT('/v1/workflows/{workflow}', {
          params: { ...workflow(file.definition.name), query: { publish: flag(publish) } },
          ...sent(file),
        }),
      ),
    publishWorkflow: (name, version) =>
      given(rest().POST('/v1/workflows/{workflow}/publish', { params: workflow(name), body: { version } })),
    archiveWorkflow: (name) => given(rest().POST('/v1/workflows/{workflow}/archive', { params: workflow(name) })),
    unarchiveWorkflow: (name) => given(rest().POST('/v1/workflows/{workflow}/unarchive', { params: workflow(name) })),
    keys: (query) => given(rest().GET('/v1/api-keys', { params: { query } })),
    createKey: (body) => given(rest().POST('/v1/api-keys', { body })),
    revokeKey: (key) => given(rest().DELETE('/v1/api-keys/{key}', { params: { path: { key } } })),
    profiles: (query) => given(rest().GET('/v1/profiles', { params: { query } })),
    importProfile: (profile, body) =>
      given(rest().PUT('/v1/profiles/{profile}', { params: { path: { profile } }, body })),
    deleteProfile: (profile) => given(rest().DELETE('/v1/profiles/{profile}', { params: { path: { profile } } })),
    fleets: () => items(rest().GET('/v1/fleets')),
    pauseFleet: (fleet) => given(rest().POST('/v1/fleets/{fleet}/pause', { params: { path: { fleet } } })),
    resumeFleet: (fleet) => given(rest().POST('/v1/fleets/{fleet}/resume', { params: { path: { fleet } } })),
    queues: () => items(rest().GET('/v1/queue')),
    project: () => given(rest().GET('/v1/project')),
    changeProject: (body) => given(rest().PATCH('/v1/project', { body })),
    retain: (dryRun) => given(rest().POST('/v1/retention', { body: { dryRun } })),
  };
}

const items = async <Item>(asked: Promise<{ data?: unknown }>): Promise<Item[]> =>
  (await given<{ items: Item[] }>(asked)).items;

/** The events there are, without waiting for more. */
async function* past({ api }: Client, id: string): AsyncGenerator<RunEvent> {
  let after = 0;
  for (;;) {
    const query = { format: 'json', after, limit: EVENTS } as const;
    const page = await given<{ items: RunEvent[]; after: number }>(
      api.GET('/v1/runs/{run}/events', { params: { path: { run: id }, query } }),
    );
    yield* page.items;
    if (page.items.length < EVENTS) return;
    after = page.after;
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
