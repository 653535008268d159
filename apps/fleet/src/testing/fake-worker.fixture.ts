/**
 * A worker for specs: it says hello to a line-speaking gateway, drains when told, and ends with its parent.
 * Arguments: `children` starts two processes that would outlive it, one in its group, without its environment, and one in a group of its own, as a browser is;
 * `deaf` does not listen to SIGTERM; `silent` never says hello; `broken` ends at once.
 */
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { env } from 'node:process';

const modes = new Set(process.argv.slice(2));
if (modes.has('broken')) process.exit(3);

const sleeper = (detached: boolean) =>
  spawn('/bin/sleep', ['600'], { detached, stdio: 'ignore', ...(!detached && { env: {} }) }).pid;
const children = modes.has('children') ? [sleeper(false), sleeper(true)] : [];
// It listens before it says anything: whoever heard of it may tell it to end at once.
process.on('SIGTERM', () => modes.has('deaf') || process.exit(0));
process.stdin.on('end', () => modes.has('deaf') || process.exit(0)).resume();
console.log(JSON.stringify({ level: 30, time: 1, msg: 'started', children, cwd: process.cwd() }));
console.error('a plain line');

if (!modes.has('silent')) {
  const gateway = connect(Number(new URL(env['PILOTHOUSE_GATEWAY_URL'] ?? '').port), '127.0.0.1');
  gateway.write(`${env['PILOTHOUSE_WORKER_NAME']} ${env['PILOTHOUSE_SLOTS']}\n`);
  gateway.on('data', (data) => String(data).includes('drain') && process.exit(0));
  gateway.on('error', () => process.exit(1));
}
