/**
 * A worker for specs. It registers at a line-based gateway, drains on request, and exits with its parent.
 * Arguments. `children`: starts two processes that outlive it, one in its group without its environment, one in its own
 * group like a browser. `deaf`: ignores SIGTERM. `silent`: never registers. Its start names the worker in its join token. `broken`: logs an error and exits at once.
 */
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { env } from 'node:process';
import { readWorkerToken } from '@pilothouse/infra-config';
import { createLog } from '@pilothouse/infra-telemetry';

const modes = new Set(process.argv.slice(2));
const log = createLog({ name: 'worker', level: 'info', format: 'json' });
if (modes.has('broken')) {
  log.error({}, 'broken on purpose');
  process.exit(3);
}

const joinedAs = readWorkerToken({ descriptor: Number(env['PILOTHOUSE_FLEET_TOKEN_FD']) }).replace(/^.*-worker-/, '');

const sleeper = (detached: boolean) =>
  spawn('/bin/sleep', ['600'], { detached, stdio: 'ignore', ...(!detached && { env: {} }) }).pid;
const children = modes.has('children') ? [sleeper(false), sleeper(true)] : [];
// Installs the handlers before the first output, because a spec may stop the worker as soon as it sees output.
process.on('SIGTERM', () => modes.has('deaf') || process.exit(0));
process.stdin.on('end', () => modes.has('deaf') || process.exit(0)).resume();
log.info({ children, joinedAs, cwd: process.cwd() }, 'started');
console.error('a plain line');

if (!modes.has('silent')) {
  const gateway = connect(Number(new URL(env['PILOTHOUSE_GATEWAY_URL'] ?? '').port), '127.0.0.1');
  gateway.write(`${env['PILOTHOUSE_WORKER_NAME']} ${env['PILOTHOUSE_SLOTS']}\n`);
  gateway.on('data', (data) => String(data).includes('drain') && process.exit(0));
  gateway.on('error', () => process.exit(1));
}
