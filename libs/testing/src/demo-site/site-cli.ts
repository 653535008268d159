import { parseArgs } from 'node:util';
import { startSite } from './site-server.ts';

const { values } = parseArgs({ options: { port: { type: 'string', default: '0' }, host: { type: 'string' } } });
const port = Number(values.port);

if (!Number.isInteger(port) || port < 0 || port > 65535) {
  console.error(`--port must be a number from 0 (any free port) to 65535, not "${values.port}".`);
  process.exit(2);
}

const site = await startSite({ port, ...(values.host ? { host: values.host } : {}) });
console.log(`Harbour Supplies is open at ${site.url}`);

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void site.close());
