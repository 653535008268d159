import { join } from 'node:path';
import { bundleOf } from '../../harness/bundles.ts';
import { assertExited, processTree } from '../../harness/process-tree.ts';
import { Program } from '../../harness/child-program.ts';
import { searchPath } from '../../harness/servers.fixture.ts';
import { anyWorkflow } from '../plan/random-workflow.ts';
import { END_MS } from '../case-context.ts';
import type { Fault, Stage } from './fault.ts';

/** `kill -9` of the fleet controller: its workers return their runs and exit, and the next controller starts others. */
export const controllerKilled: Fault = async (stage) => {
  const { context, random } = stage;
  const first = await startController(stage, 'first');
  const runs = Array.from({ length: random.integer(2, 4) }, () =>
    context.submit(anyWorkflow(random), { fleet: 'managed' }),
  );
  await Promise.all(runs);
  await context.waitForEvents(random.integer(4, 30));
  const tree = await processTree(first.pid);
  first.signal('SIGKILL');
  await first.waitForExit('it was killed');
  const second = await startController(stage, 'second');
  await context.waitForAllRuns(END_MS);
  await second.stop();
  await assertExited(tree);
};

async function startController({ context, surface }: Stage, name: string): Promise<Program> {
  const { system } = context;
  const worker = ['/usr/bin/env', `PILOTHOUSE_SURFACE=${surface}`, process.execPath, await bundleOf('worker')];
  const controller = await Program.start({
    name: `${name} controller`,
    args: [await bundleOf('fleet')],
    env: {
      PATH: searchPath(),
      DATABASE_URL: system.servers.databaseUrl,
      PILOTHOUSE_GATEWAY_URL: `ws://127.0.0.1:${system.replica(0).port}/v1/gateway`,
      PILOTHOUSE_WORKER_COMMAND: JSON.stringify(worker),
      PILOTHOUSE_DATA_DIR: join(system.dir, 'controller'),
      PILOTHOUSE_EGRESS_ALLOW_PRIVATE: 'private',
      PILOTHOUSE_HEADLESS: 'true',
    },
  });
  context.controllers.push(controller);
  return controller;
}
