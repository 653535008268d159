import { processEnvironment, upConfig, type UpConfig } from '@pilothouse/infra-config';
import { Command, InvalidArgumentError } from 'commander';
import { findHouse, type House } from './installation-paths.ts';
import { runDemo } from './demo-run.ts';
import { startDetached, tell } from './detach.ts';
import { runningRecord } from './state-file.ts';
import { Supervisor } from './supervisor.ts';
import { alreadyRuns, nextCommands, whereToLook } from './welcome-message.ts';
import { runCommand } from '../runs/create-run.command.ts';

interface UpOptions {
  detach?: boolean;
  demo: boolean;
  port?: string;
  inBackground?: boolean;
}

const port = (text: string) => {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('Give a port, 0 to 65535.');
  return text;
};

/** `pilothouse up`: the whole house on this machine. */
export const upCommand = () =>
  new Command('up')
    .description('start Pilothouse on this machine: database, queue, API, workers and a demo')
    .option('-d, --detach', 'go to the background once it is ready (stop it with: pilothouse down)')
    .option('--no-demo', 'without the demo site and its run')
    .option('-p, --port <port>', 'wanted port of the API; a busy one is chosen around (default: 7100)', port)
    .option('--in-background', 'used by --detach')
    .addHelpText(
      'after',
      '\nExamples:\n  pilothouse up\n  pilothouse up --detach --no-demo\n  pilothouse up --port 8080',
    )
    .action(async (options: UpOptions) => {
      // a terminal or pipe that went away ends nothing: the signal that comes with it does, in order
      process.stdout.on('error', () => undefined);
      const environment = processEnvironment();
      const config = upConfig(options.port ? { ...environment, PILOTHOUSE_PORT: options.port } : environment);
      const house = findHouse(config.dir);
      if (options.inBackground) await background(house, config, options);
      else await foreground(house, config, options);
    });

const say = (line: string) => console.log(line);
const says = (lines: string[]) => lines.forEach(say);

async function foreground(house: House, config: UpConfig, options: UpOptions): Promise<void> {
  const since = performance.now();
  const running = runningRecord(house.record);
  if (running) return says(alreadyRuns(house, running));
  say('Pilothouse is starting.');

  const stopping = new AbortController();
  const supervisor = options.detach ? undefined : await Supervisor.open({ house, config, noDemo: !options.demo, say });
  if (supervisor && !(supervisor instanceof Supervisor)) return says(alreadyRuns(house, supervisor));
  const ended = untilSignal(stopping, () => supervisor?.hurry());
  const stopped = ended.then(() => supervisor?.stop());
  if (supervisor) await supervisor.start();
  else {
    const args = [...(options.demo ? [] : ['--no-demo']), ...(options.port ? ['--port', options.port] : [])];
    await startDetached(house, args, say, stopping.signal);
  }
  const record = supervisor?.record ?? runningRecord(house.record);
  if (!record) throw new Error('Pilothouse ended right after it was ready; see its logs.');
  say(`Ready after ${((performance.now() - since) / 1000).toFixed(1)} s.`);
  if (options.demo && !stopping.signal.aborted)
    await runDemo({ runCommand, house, record, say, signal: stopping.signal });
  if (!stopping.signal.aborted) {
    says(['', 'Where to look:', ...whereToLook(house, record), '', 'Next:']);
    says(nextCommands(options.detach ? './scripts/down' : 'Ctrl-C, or ./scripts/down'));
  }
  if (!supervisor) process.exit(0); // the one in the background goes on
  await stopped;
  say('Stopped.');
}

async function background(house: House, config: UpConfig, options: UpOptions): Promise<void> {
  try {
    const toTerminal = (line: string) => tell({ say: line });
    const supervisor = await Supervisor.open({ house, config, noDemo: !options.demo, say: toTerminal });
    if (!(supervisor instanceof Supervisor)) throw new Error(alreadyRuns(house, supervisor).join('\n'));
    const stopped = untilSignal(new AbortController(), () => supervisor.hurry()).then(() => supervisor.stop());
    await supervisor.start();
    tell({ ready: true });
    await stopped;
  } catch (error) {
    tell({ failed: error instanceof Error ? error.message : String(error) });
    process.exitCode = 1;
    if (process.connected) process.disconnect();
  }
}

/** Settles with the first signal to end, and aborts; the second one hurries. */
function untilSignal(stopping: AbortController, hurry: () => void): Promise<void> {
  return new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(name, () => {
        if (stopping.signal.aborted) return hurry();
        if (name === 'SIGINT') console.log('\nStopping; once more to hurry.');
        stopping.abort();
        resolve();
      });
  });
}
