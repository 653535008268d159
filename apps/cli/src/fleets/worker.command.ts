import { workerNodeOptions, processEnvironment, workerConfig, type Environment } from '@pilothouse/infra-config';
import { Command } from 'commander';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { findHouse } from '../local/installation-paths.ts';

interface WorkerOptions {
  gateway?: string;
  token?: string;
  slots?: string;
  name?: string;
}

/** What a worker may know of the machine it runs on. It opens hostile pages: everything else stays outside. */
const inherited =
  /^(PATH|HOME|LANG|LC_\w+|TZ|TMPDIR|DISPLAY|XAUTHORITY|CHROMIUM_PATH|PILOTHOUSE_HEADLESS|PILOTHOUSE_CHROMIUM_SANDBOX|PILOTHOUSE_EGRESS_PRIVATE|PILOTHOUSE_TRUSTED_CA|PILOTHOUSE_BROWSER_MAX_\w+|LOG_\w+|NODE_EXTRA_CA_CERTS)$/;

/** What a child that opens hostile pages gets of this environment. */
export const passedOn = (own: Environment): Record<string, string> =>
  Object.fromEntries(
    Object.entries(own).flatMap(([name, value]) => (value && inherited.test(name) ? [[name, value]] : [])),
  );

/** `pilothouse worker`: joins a fleet from this machine. */
export const workerCommand = () =>
  new Command('worker')
    .description('join a fleet from this machine: carries out runs until it is stopped')
    .option(
      '-g, --gateway <url>',
      'address of the API, e.g. https://pilothouse.example.org (or PILOTHOUSE_GATEWAY_URL)',
    )
    .option(
      '-t, --token <token>',
      'fleet token (better: PILOTHOUSE_FLEET_TOKEN, which no other user of this machine sees)',
    )
    .option('-s, --slots <n>', 'runs at a time (default: 2)')
    .option('-n, --name <name>', 'name of this worker (default: made from the host name)')
    .addHelpText(
      'after',
      '\nExample:\n  PILOTHOUSE_FLEET_TOKEN=ft_... pilothouse worker --gateway https://pilothouse.example.org --slots 4\n\nCtrl-C drains: running runs are finished or handed back.',
    )
    .action(async (options: WorkerOptions) => {
      const bundle = findHouse().bundle('worker');
      if (!existsSync(bundle)) throw new Error(`${bundle} is missing: run ./scripts/setup.`);
      const env = workerEnvironment(processEnvironment(), options);
      workerConfig(env); // says what is wrong before anything starts
      process.exitCode = await runWorker(bundle, env);
    });

/** All that the worker gets of this machine, and what it is told. */
export function workerEnvironment(own: Environment, options: WorkerOptions): Record<string, string> {
  const given = {
    PILOTHOUSE_GATEWAY_URL: options.gateway ?? own.PILOTHOUSE_GATEWAY_URL,
    PILOTHOUSE_FLEET_TOKEN: options.token ?? own.PILOTHOUSE_FLEET_TOKEN,
    PILOTHOUSE_SLOTS: options.slots ?? own.PILOTHOUSE_SLOTS,
    PILOTHOUSE_WORKER_NAME: options.name ?? own.PILOTHOUSE_WORKER_NAME,
    PILOTHOUSE_WORKER_DIR: own.PILOTHOUSE_WORKER_DIR,
    ...workerNodeOptions(Number(options.slots ?? own.PILOTHOUSE_SLOTS ?? 0)),
  };
  return Object.fromEntries(
    Object.entries({ ...passedOn(own), ...given }).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
}

/** Runs it with our terminal; signals that reach only us are handed on. Answers its exit code. */
async function runWorker(bundle: string, env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(process.execPath, [bundle], { env, stdio: 'inherit' });
  for (const name of ['SIGTERM', 'SIGHUP'] as const) process.on(name, () => child.kill(name));
  process.on('SIGINT', () => undefined); // the terminal sends it to both
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  return code ?? 128 + (signal ? constants.signals[signal] : 0);
}
