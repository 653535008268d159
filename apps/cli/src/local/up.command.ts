import { existsSync } from 'node:fs';
import { processEnvironment, upConfig, type UpConfig } from '@pilothouse/infra-config';
import { Command, InvalidArgumentError, Option } from 'commander';
import { displayPath, findInstallation, type Installation } from '../installation/installation-paths.ts';
import { exitCodes } from '../output/exit-codes.ts';
import { runDemo } from './demo-run.ts';
import { startDetached, sendToTerminal } from './detach.ts';
import { runningRecord, type RunRecord } from './state-file.ts';
import { Supervisor } from './supervisor.ts';
import { runCommand } from '../runs/create-run.command.ts';

/** The addresses and folders of the installation. */
export function addressLines(installation: Installation, { urls }: Pick<RunRecord, 'urls'>): string[] {
  const short = (path: string) => displayPath(installation, path);
  return [
    ...(urls.console ? [`  console        ${urls.console}`] : []),
    `  API and docs   ${urls.api}/docs`,
    `  API key        ${short(installation.secrets)}/admin.key (also creates the admin account)`,
    ...(urls.site ? [`  demo site      ${urls.site}`] : []),
    `  data and logs  ${short(installation.state)}/, ${short(installation.logs)}/`,
  ];
}

/** Commands to try next. */
const nextCommands = (stop: string, isFirstStart: boolean) => [
  '  npx pilothouse runs list             recent runs',
  '  npx pilothouse run my-workflow.yaml  run your workflow (docs/reference/workflow/README.md)',
  ...(isFirstStart ? [] : ['  ./scripts/up --demo                  run the demo order again']),
  `  ${stop.padEnd(37)}stop; data is kept`,
];

/** The message of a second `up`. */
function alreadyRunningLines(installation: Installation, record: RunRecord): string[] {
  const since = new Date(record.startedAt).toLocaleString('en-GB');
  if (!record.ready) return [`Pilothouse is starting (pid ${record.supervisor.pid}, since ${since}).`];
  return [
    `Pilothouse is already running (pid ${record.supervisor.pid}, since ${since}).`,
    ...addressLines(installation, record),
    '  Stop it: ./scripts/down',
  ];
}

interface UpOptions {
  detach?: boolean;
  /** true: run the demo; false: without its site; undefined: at the first start only. */
  demo?: boolean;
  port?: string;
  inBackground?: boolean;
}

/** The demo runs at the first start of an installation, and when it is asked for. */
export const isDemoWanted = (demo: boolean | undefined, isFirstStart: boolean): boolean => demo ?? isFirstStart;

const port = (text: string) => {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('Use a port, 0 to 65535.');
  return text;
};

/** `pilothouse up`: starts the local installation. */
export const upCommand = () =>
  new Command('up')
    .description('Start Pilothouse locally: PostgreSQL, Redis, API, console, workers and a demo.')
    .option('-d, --detach', 'run in the background (stop with: pilothouse down)')
    .option('--demo', 'run the demo order (default: at the first start only)')
    .option('--no-demo', 'start neither the demo order nor the demo shop')
    .option('-p, --port <port>', 'preferred API port; the next free port is used if taken (default: 7100)', port)
    .addOption(new Option('--in-background').hideHelp())
    .addHelpText(
      'after',
      '\nExamples:\n  pilothouse up\n  pilothouse up --detach --no-demo\n  pilothouse up --demo\n  pilothouse up --port 8080',
    )
    .action(async (options: UpOptions) => {
      // A closed terminal or pipe must not crash the installation. Its SIGHUP stops it gracefully.
      process.stdout.on('error', () => undefined);
      const environment = processEnvironment();
      const config = upConfig(options.port ? { ...environment, PILOTHOUSE_PORT: options.port } : environment);
      const installation = findInstallation(config.installDir);
      if (options.inBackground) await background(installation, config, options);
      else await foreground(installation, config, options);
    });

const printLine = (line: string) => console.log(line);
const printLines = (lines: string[]) => lines.forEach(printLine);

async function foreground(installation: Installation, config: UpConfig, options: UpOptions): Promise<void> {
  const since = performance.now();
  const running = runningRecord(installation.record);
  if (running) return reportRunning(installation, running, options);
  // Its connection stays after a stop.
  const isFirstStart = !existsSync(installation.config);
  printLine('Pilothouse is starting.');

  const stopping = new AbortController();
  const supervisor = options.detach
    ? undefined
    : await Supervisor.open({ installation, config, noDemo: options.demo === false, printLine });
  if (supervisor && !(supervisor instanceof Supervisor))
    return printLines(alreadyRunningLines(installation, supervisor));
  const stopSignal = waitForSignal(stopping, () => supervisor?.forceStop());
  const stopped = stopSignal.then(() => supervisor?.stop());
  if (supervisor) await supervisor.start();
  else {
    const args = [...(options.demo === false ? ['--no-demo'] : []), ...(options.port ? ['--port', options.port] : [])];
    await startDetached(installation, args, printLine, stopping.signal);
  }
  const record = supervisor?.record ?? runningRecord(installation.record);
  if (!record) throw new Error('Pilothouse exited after start. See the logs.');
  printLine(`Ready after ${((performance.now() - since) / 1000).toFixed(1)} s.`);
  if (isDemoWanted(options.demo, isFirstStart) && !stopping.signal.aborted)
    await runDemo({ runCommand, installation, record, printLine, signal: stopping.signal });
  if (!stopping.signal.aborted) {
    printLines(['', 'Open:', ...addressLines(installation, record), '', 'Next:']);
    printLines(nextCommands(options.detach ? './scripts/down' : 'Ctrl-C, or ./scripts/down', isFirstStart));
  }
  if (!supervisor) process.exit(0); // The background process keeps running.
  await stopped;
  printLine('Stopped.');
}

/** A second `up` starts nothing. With --demo it runs the demo. */
async function reportRunning(installation: Installation, record: RunRecord, options: UpOptions): Promise<void> {
  printLines(alreadyRunningLines(installation, record));
  if (options.demo !== true || !record.ready) return;
  const stopping = new AbortController();
  void waitForSignal(stopping, () => undefined);
  const isDone = await runDemo({ runCommand, installation, record, printLine, signal: stopping.signal });
  if (stopping.signal.aborted) process.exit(exitCodes.interrupted);
  process.exit(isDone ? exitCodes.done : exitCodes.failed);
}

async function background(installation: Installation, config: UpConfig, options: UpOptions): Promise<void> {
  try {
    const toTerminal = (line: string) => sendToTerminal({ line });
    const supervisor = await Supervisor.open({
      installation,
      config,
      noDemo: options.demo === false,
      printLine: toTerminal,
    });
    if (!(supervisor instanceof Supervisor)) throw new Error(alreadyRunningLines(installation, supervisor).join('\n'));
    const stopped = waitForSignal(new AbortController(), () => supervisor.forceStop()).then(() => supervisor.stop());
    await supervisor.start();
    sendToTerminal({ ready: true });
    await stopped;
  } catch (error) {
    sendToTerminal({ failed: error instanceof Error ? error.message : String(error) });
    process.exitCode = 1;
    if (process.connected) process.disconnect();
  }
}

/** Resolves with the first stop signal and aborts; the second signal forces the stop. */
function waitForSignal(stopping: AbortController, forceStop: () => void): Promise<void> {
  return new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(name, () => {
        if (stopping.signal.aborted) return forceStop();
        if (name === 'SIGINT') console.log('\nStopping… Press Ctrl-C again to force.');
        stopping.abort();
        resolve();
      });
  });
}
