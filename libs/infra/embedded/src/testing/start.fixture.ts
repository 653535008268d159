/** Parent process for kill tests: starts the server that its arguments name, prints the process identity, and waits. */
import { startPostgres } from '../embedded-postgres.ts';
import { startRedis } from '../embedded-redis.ts';

const [kind, dir = ''] = process.argv.slice(2);
const log = () => undefined;
const server =
  kind === 'postgres'
    ? await startPostgres({ dataDir: dir, port: 0, password: 'secret', log })
    : await startRedis({ dir, port: 0, password: 'secret', appendonly: true, log });
console.log(JSON.stringify(server.identity));
