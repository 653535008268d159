import type { RunEvent } from '@pilothouse/contract';
import { ConfigError } from '@pilothouse/infra-config';
import { openAsBlob, readFileSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { connection, type Connection } from '../house/connection.ts';
import { CommandError, exitCodes, usage } from '../output/exit.ts';
import type { Api } from './api.ts';
import type { Cli } from './cli.ts';
import { Http, sendFile } from './http.ts';

/** Options of every command that asks the API. */
export interface ApiOptions {
  readonly url?: string;
  readonly apiKeyFile?: string;
  readonly json?: boolean;
}

/**
 * Which API is asked, with which key: what the options say goes before the environment, and that before what `up` left in this clone.
 * @throws CommandError with a sentence that says what to give
 */
export function findConnection(
  { environment, cwd }: Pick<Cli, 'environment' | 'cwd'>,
  options: ApiOptions,
): Connection {
  const { url, apiKeyFile } = options;
  const given = {
    ...environment,
    ...(url !== undefined && { PILOTHOUSE_URL: url }),
    ...(apiKeyFile !== undefined && { PILOTHOUSE_API_KEY: keyFrom(resolve(cwd, apiKeyFile)) }),
  };
  try {
    return connection(given);
  } catch (thrown) {
    if (thrown instanceof ConfigError) throw usage(thrown.message);
    throw new CommandError(exitCodes.unreachable, thrown instanceof Error ? thrown.message : String(thrown));
  }
}

function keyFrom(file: string): string {
  let text;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch {
    throw usage(`--api-key-file: ${file} cannot be read.`);
  }
  // said here, because the sentence about a wrong variable would not name the file
  if (!/^ph_\w+$/.test(text)) throw usage(`--api-key-file: ${file} holds no API key; a key begins with ph_.`);
  return text;
}

/**
 * The API that the options, the environment or this clone say. Which one is found out when it is first asked: what is wrong with a
 * workflow file is said without any.
 * @throws CommandError as `findConnection`, from every method
 */
export function connectApi(cli: Pick<Cli, 'environment' | 'cwd'>, options: ApiOptions): Api {
  let made: Http | undefined;
  const http = () => (made ??= new Http(findConnection(cli, options)));
  const of = (run: string) => ({ params: { run } });
  const named = (workflow: string) => ({ params: { workflow } });
  const retried = (idempotencyKey: string) => ({ headers: { 'idempotency-key': idempotencyKey } });
  return {
    get url() {
      return http().url;
    },
    submit: (body, key) => http().call('createRun', { body, ...retried(key) }),
    runs: (query) => http().call('listRuns', { query }),
    run: (run, { wait, signal } = {}) => http().call('readRun', { ...of(run), query: { wait }, signal }),
    cancel: (run) => http().call('cancelRun', of(run)),
    retry: (run, key) => http().call('retryRun', { ...of(run), ...retried(key) }),
    steps: async (run) => (await http().call('listRunSteps', of(run))).items,
    artifacts: async (run) => (await http().call('listRunArtifacts', of(run))).items,
    events: (run, { follow = true, signal } = {}) => (follow ? http().events(run, signal) : past(http(), run)),
    async upload(path) {
      const content = await openAsBlob(path, { type: typeOf(path) });
      const body = { name: basename(path), contentType: typeOf(path), size: content.size };
      const upload = await http().call('createUpload', { body });
      await sendFile(upload.transfer, http().url, content);
      return upload;
    },
    workflows: (query) => http().call('listWorkflows', { query }),
    workflow: (name, version) => http().call('readWorkflow', { ...named(name), query: { version } }),
    createWorkflow: (body, publish) => http().call('createWorkflow', { body, query: { publish } }),
    updateWorkflow: (body, publish) => http().call('updateWorkflow', { ...named(body.name), body, query: { publish } }),
    publishWorkflow: (name, version) => http().call('publishWorkflow', { ...named(name), body: { version } }),
    archiveWorkflow: (name) => http().call('archiveWorkflow', named(name)),
    unarchiveWorkflow: (name) => http().call('unarchiveWorkflow', named(name)),
    keys: (query) => http().call('listApiKeys', { query }),
    createKey: (body) => http().call('createApiKey', { body }),
    revokeKey: (key) => http().call('revokeApiKey', { params: { key } }),
    fleets: async () => (await http().call('listFleets')).items,
  };
}

async function* past(http: Http, run: string): AsyncGenerator<RunEvent> {
  let after = 0;
  for (;;) {
    const page = await http.call('listRunEvents', { params: { run }, query: { format: 'json', after, limit: 1000 } });
    yield* page.items;
    if (page.items.length === 0 || page.end) return;
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

/** Media type of a file, by its name. */
const typeOf = (path: string) => types[extname(path).toLowerCase()] ?? 'application/octet-stream';
