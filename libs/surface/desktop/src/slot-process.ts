/**
 * Process 1 of the container of a slot. Arguments: socket of the worker, and the writable folders of the slot, which it empties. The option
 * `--session` names the entry file of the session process.
 * `PILOTHOUSE_SLOT_KEY` is the key of the slot. It is an environment variable, because programs cannot read those of this process, but all
 * of its arguments and files.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runSlotSupervisor } from './slot/slot-supervisor.ts';

const log = (level: string) => (fields: object, message: string) =>
  void process.stdout.write(`${JSON.stringify({ level, time: Date.now(), name: 'slot', ...fields, msg: message })}\n`);

const beside = fileURLToPath(new URL('./desktop-session.js', import.meta.url));
// infra-config would bring zod, which the image has only inside the worker's bundle.
const key = process.env.PILOTHOUSE_SLOT_KEY;

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(0));
try {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { session: { type: 'string' } } });
  const [socket, ...folders] = positionals;
  const entry = values.session ?? (existsSync(beside) ? beside : undefined);
  if (!socket || folders.length === 0 || !entry || !key)
    throw new Error(
      'Usage: PILOTHOUSE_SLOT_KEY=<key> node --disable-sigusr1 desktop-slot.js [--session <entry>] <socket> <folder>...',
    );
  await runSlotSupervisor({ socket, folders, key, launcher: { entry }, log: { info: log('info') } });
  log('info')({}, 'connection to the worker closed, slot exits');
} catch (error) {
  log('error')({ error: (error as Error).message }, 'slot failed, its container restarts');
  process.exitCode = 1;
} finally {
  // Programs may still run. They end with process 1.
  process.exit();
}
