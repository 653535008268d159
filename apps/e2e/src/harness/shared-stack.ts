/**
 * One stack for all spec files of a jest worker: a spec gets a project with its own key and user. The stack is the child
 * of no spec file, so it survives the module graph and the process of each. It ends with the test run, see
 * shared-stack-holder.ts.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Page } from '@pilothouse/contract/api/query-params';
import type { InvitationCreated } from '@pilothouse/contract/project/member.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { identifyProcess } from '@pilothouse/infra-embedded';
import { until } from './poll-until.ts';
import { Client } from './stack-client.ts';
import { addProject } from './stack-database.ts';

/** Addresses of the servers of a holder. */
export interface SharedServers {
  readonly apiUrl: string;
  readonly consoleUrl: string;
  readonly siteUrl: string;
  /** Endpoint of the Playwright server of the browser that opens the console. */
  readonly browserUrl: string;
  readonly databaseUrl: string;
}

export interface SignInUser {
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

/** The project of one spec file on a shared stack. */
export interface SharedProject {
  readonly servers: SharedServers;
  /** The API with an admin key of the project. */
  readonly client: Client;
  /** An admin of the project. */
  readonly user: SignInUser;
  /** Cancels the active runs, which would occupy slots, and gives the stack back. */
  release(): Promise<void>;
}

/** Seconds for which a stack waits for its next spec file. Other suites shall not share the machine with it for long. */
const IDLE_SECONDS = 120;

const START_MS = 180_000;

/**
 * Creates a project on the stack of this jest worker, which is started unless it runs. Without a test run, i.e. without
 * PILOTHOUSE_TEST_RUN, the stack is started for this file only.
 */
export async function openSharedProject(): Promise<SharedProject> {
  const runFolder = process.env.PILOTHOUSE_TEST_RUN;
  const folder = runFolder ?? mkdtempSync(join(tmpdir(), 'pilothouse-stack-'));
  const socketPath = join(folder, `stack-${process.env.JEST_WORKER_ID ?? '1'}.sock`);
  const { connection, servers, holder } = await acquire(socketPath, runFolder === undefined ? 0 : IDLE_SECONDS);
  const disconnect = async () => {
    connection.destroySoon();
    if (runFolder !== undefined) return;
    if (holder?.exitCode === null) await once(holder, 'exit');
    const failure = readText(`${socketPath}.error`);
    rmSync(folder, { recursive: true, force: true });
    if (failure !== '') throw new Error(failure);
  };
  const release = async (client: Client) => {
    try {
      await cancelActiveRuns(client);
      connection.write('released');
    } finally {
      await disconnect();
    }
  };
  try {
    const { client, user } = await createProject(servers);
    return { servers, client, user, release: () => release(client) };
  } catch (error) {
    await disconnect();
    throw error;
  }
}

interface Acquired {
  readonly connection: Socket;
  readonly servers: SharedServers;
  /** The started process; undefined if it ran already. */
  readonly holder: ChildProcess | undefined;
}

/** Connects to the holder. A holder that is missing, or ends without an answer, is replaced. */
async function acquire(socketPath: string, idleSeconds: number): Promise<Acquired> {
  const running = await connectTo(socketPath);
  if (running) return { ...running, holder: undefined };
  const holder = startHolder(socketPath, idleSeconds);
  return until(
    `the shared stack starts; its output is in ${socketPath}.log`,
    async () => {
      if (holder.exitCode !== null) throw new Error(`The shared stack ended:\n${readText(`${socketPath}.log`)}`);
      const started = await connectTo(socketPath);
      return started && { ...started, holder };
    },
    START_MS,
    100,
  );
}

/** @returns undefined if no holder listens, or the holder ends instead of an answer */
async function connectTo(socketPath: string): Promise<Omit<Acquired, 'holder'> | undefined> {
  const connection = connect(socketPath).on('error', () => undefined);
  const line = await new Promise<string | undefined>((resolve) => {
    createInterface({ input: connection })
      .once('line', resolve)
      .on('error', () => undefined);
    connection.once('close', () => resolve(undefined));
  });
  if (line === undefined) return undefined;
  // A spec that does not release the stack can end all the same.
  connection.unref();
  return { connection, servers: JSON.parse(line) as SharedServers };
}

/** Starts a holder that outlives this process. */
function startHolder(socketPath: string, idleSeconds: number): ChildProcess {
  rmSync(socketPath, { force: true });
  const log = openSync(`${socketPath}.log`, 'a');
  const program = join(import.meta.dirname, 'shared-stack-holder.ts');
  const holder = spawn(
    process.execPath,
    ['--experimental-transform-types', '--no-warnings', program, socketPath, String(idleSeconds)],
    { detached: true, stdio: ['ignore', log, log] },
  );
  closeSync(log);
  holder.unref();
  // ./scripts/test stops the holders that remain.
  writeFileSync(`${socketPath}.${holder.pid}.pid`, JSON.stringify(identifyProcess(holder.pid ?? 0) ?? null));
  return holder;
}

async function createProject({ apiUrl, databaseUrl }: SharedServers): Promise<{ client: Client; user: SignInUser }> {
  const slug = `spec-${randomBytes(4).toString('hex')}`;
  const client = new Client(apiUrl, await addProject(databaseUrl, slug));
  const user = { name: 'Grace Hopper', email: `grace@${slug}.example.com`, password: 'nine lighthouses of Skagen' };
  const invitation = { email: user.email, role: 'admin' };
  const { url } = (await client.json('/v1/invitations', { method: 'POST', body: invitation })) as InvitationCreated;
  const acceptance = { token: new URL(url).hash.slice(1), name: user.name, password: user.password };
  await client.json('/v1/invitations/accept', { method: 'POST', body: acceptance });
  return { client, user };
}

async function cancelActiveRuns(client: Client): Promise<void> {
  for (const status of ['queued', 'running', 'awaiting_user']) {
    const { items } = (await client.json(`/v1/runs?status=${status}&limit=100`)) as Page<RunView>;
    for (const { id } of items) await client.cancel(id);
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
