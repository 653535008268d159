import {
  processEnvironment,
  readWorkerToken,
  TOKEN_DESCRIPTOR,
  workerConfig,
  workerNodeOptions,
  type Environment,
} from '@pilothouse/infra-config';
import { Command } from 'commander';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import type { Duplex } from 'node:stream';
import type { FleetView } from '@pilothouse/contract/fleet/fleet.schema';
import { didYouMean } from '@pilothouse/contract/nearest';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, newNoun, processSource, withApi, type CliSource } from '../api/define-command.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { findInstallation } from '../installation/installation-paths.ts';
import { usage } from '../output/exit-codes.ts';
import { table } from '../output/text-table.ts';
import { clean } from '../output/sanitize-text.ts';
import { relative } from '../output/time-text.ts';
import { json } from '../output/value-text.ts';

interface WorkerOptions {
  gateway?: string;
  tokenFile?: string;
  slots?: string;
  name?: string;
}

/** Environment variables that a worker inherits. It opens untrusted pages, so it gets no others. */
const inheritedVariables =
  /^(PATH|HOME|LANG|LC_\w+|TZ|TMPDIR|DISPLAY|XAUTHORITY|CHROMIUM_PATH|PILOTHOUSE_HEADLESS|PILOTHOUSE_CHROMIUM_SANDBOX|PILOTHOUSE_EGRESS_ALLOW_PRIVATE|PILOTHOUSE_EXTRA_CA_CERTS|PILOTHOUSE_BROWSER_RECYCLE_\w+|LOG_\w+|NODE_EXTRA_CA_CERTS)$/;

/** The variables of an environment that a process which opens untrusted pages inherits. */
export const workerVariables = (environment: Environment): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value && inheritedVariables.test(name) ? [[name, value]] : [],
    ),
  );

/** `pilothouse workers`. */
export const workersCommand = (source = processSource) =>
  newNoun(
    'workers',
    'Start a worker; list, drain and cordon workers.',
    [
      startCommand(),
      newApiCommand(
        'list',
        'List workers.',
        ['pilothouse workers list', 'pilothouse workers list --json'],
        source,
      ).action(withApi(source, list)),
      changeCommand('drain', 'Drain a worker: it finishes its runs and exits.', 'draining', source),
      changeCommand('cordon', 'Cordon a worker: it accepts no new runs.', 'cordoned', source),
      changeCommand('uncordon', 'Uncordon a worker: it accepts runs again.', 'uncordoned', source),
    ],
    source,
  );

const startCommand = () =>
  new Command('start')
    .description('Start a worker on this machine and join a fleet.')
    .option('-g, --gateway <url>', 'API URL, e.g. https://pilothouse.example.org (or PILOTHOUSE_GATEWAY_URL)')
    .option('-t, --token-file <path>', 'file with the fleet token (or PILOTHOUSE_FLEET_TOKEN_FILE)')
    .option('-s, --slots <n>', 'concurrent runs (default: 2)')
    .option('-n, --name <name>', 'worker name (default: from the host name)')
    .addHelpText(
      'after',
      '\nExample:\n  pilothouse workers start --gateway https://pilothouse.example.org --token-file fleet.token --slots 4\n\nCtrl-C drains the worker: runs finish or are handed back.',
    )
    .action(async (options: WorkerOptions) => {
      const bundle = findInstallation().bundle('worker');
      if (!existsSync(bundle)) throw new Error(`${bundle} is missing: run ./scripts/setup.`);
      const environment = processEnvironment();
      const env = workerEnvironment(environment, options);
      // Reports invalid settings before the start.
      const { tokenSource } = workerConfig({
        ...env,
        PILOTHOUSE_FLEET_TOKEN: environment.PILOTHOUSE_FLEET_TOKEN,
        PILOTHOUSE_FLEET_TOKEN_FILE: options.tokenFile ?? environment.PILOTHOUSE_FLEET_TOKEN_FILE,
      });
      const token = readWorkerToken(tokenSource);
      process.exitCode = await runWorker(bundle, env, token);
    });

type WorkerChange = 'drain' | 'cordon' | 'uncordon';

const changeCommand = (change: WorkerChange, description: string, result: string, source: CliSource) =>
  newApiCommand(
    change,
    description,
    [`pilothouse workers ${change} worker-1`, `pilothouse workers ${change} 0197f3c2-1a2b`],
    source,
  )
    .argument('<worker>', 'worker name, id or id prefix')
    .action(
      withApi(source, async (api, { terminal }, flags: ApiOptions, name: string) => {
        const { fleet, worker } = await findWorker(api, name);
        const methods = { drain: 'drainWorker', cordon: 'cordonWorker', uncordon: 'uncordonWorker' } as const;
        const view = await api[methods[change]](fleet, worker.id);
        terminal.out(flags.json ? json(view) : `Worker ${clean(worker.name)} ${result}.`);
      }),
    );

interface FleetWorker {
  readonly fleet: string;
  readonly worker: FleetView['workers'][number];
}

/** The workers of all fleets that are not disconnected. */
const allWorkers = async (api: Pick<Api, 'fleets'>): Promise<FleetWorker[]> =>
  (await api.fleets()).flatMap(({ name, workers }) =>
    workers.filter(({ state }) => state !== 'disconnected').map((worker) => ({ fleet: name, worker })),
  );

/** @throws CommandError when there is no such worker, or more than one */
async function findWorker(api: Pick<Api, 'fleets'>, name: string): Promise<FleetWorker> {
  const workers = await allWorkers(api);
  const byName = workers.filter(({ worker }) => worker.name === name);
  const matches = byName.length > 0 ? byName : workers.filter(({ worker }) => worker.id.startsWith(name.toLowerCase()));
  const [first, second] = matches;
  if (!first) {
    const suggestion = didYouMean(
      name,
      workers.map(({ worker }) => worker.name),
    );
    const lines = [...(suggestion ? [clean(suggestion)] : []), 'List workers: npx pilothouse workers list'];
    throw usage(`Worker ${clean(name)} not found.`, lines);
  }
  if (second) throw usage(`${matches.length} workers match ${clean(name)}. Use the full id.`);
  return first;
}

async function list(api: Api, { terminal, now }: Cli, flags: ApiOptions): Promise<void> {
  const items = await allWorkers(api);
  if (flags.json) return terminal.out(json({ items: items.map(({ fleet, worker }) => ({ fleet, ...worker })) }));
  if (items.length === 0) return terminal.err('No workers.');
  const heads = ['worker', 'fleet', 'state', 'busy', 'version', 'last heartbeat', 'id'].map((head) => ({ head }));
  const rows = items.map(({ fleet, worker }) => [
    clean(worker.name),
    fleet,
    `${worker.state}${worker.cordoned ? ', cordoned' : ''}`,
    `${worker.busy}/${worker.slots}`,
    clean(worker.version),
    relative(worker.lastSeenAt, now()),
    worker.id,
  ]);
  for (const line of table(heads, rows, terminal.style)) terminal.out(line);
}

/** The environment of the worker: inherited variables and the options. */
export function workerEnvironment(environment: Environment, options: WorkerOptions): Record<string, string> {
  const settings = {
    PILOTHOUSE_GATEWAY_URL: options.gateway ?? environment.PILOTHOUSE_GATEWAY_URL,
    PILOTHOUSE_SLOTS: options.slots ?? environment.PILOTHOUSE_SLOTS,
    PILOTHOUSE_WORKER_NAME: options.name ?? environment.PILOTHOUSE_WORKER_NAME,
    PILOTHOUSE_WORKER_DATA_DIR: environment.PILOTHOUSE_WORKER_DATA_DIR,
    PILOTHOUSE_SURFACE: environment.PILOTHOUSE_SURFACE,
    PILOTHOUSE_DESKTOP_COMMANDS: environment.PILOTHOUSE_DESKTOP_COMMANDS,
    PILOTHOUSE_DRAIN_GRACE_SECONDS: environment.PILOTHOUSE_DRAIN_GRACE_SECONDS,
    ...workerNodeOptions(Number(options.slots ?? environment.PILOTHOUSE_SLOTS ?? 0)),
  };
  return Object.fromEntries(
    Object.entries({ ...workerVariables(environment), ...settings }).flatMap(([name, value]) =>
      value ? [[name, value]] : [],
    ),
  );
}

/** Runs the worker on this terminal, hands over the token, and forwards signals. Returns its exit code. */
async function runWorker(bundle: string, env: NodeJS.ProcessEnv, token: string): Promise<number> {
  const child = spawn(process.execPath, [bundle], {
    env: { ...env, PILOTHOUSE_FLEET_TOKEN_FD: String(TOKEN_DESCRIPTOR) },
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
  });
  const tokenPipe = child.stdio[TOKEN_DESCRIPTOR] as Duplex;
  tokenPipe.on('error', () => undefined).resume();
  tokenPipe.end(token);
  for (const name of ['SIGTERM', 'SIGHUP'] as const) process.on(name, () => child.kill(name));
  process.on('SIGINT', () => undefined); // The terminal sends it to both processes.
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  return code ?? 128 + (signal ? constants.signals[signal] : 0);
}
