import { once } from 'node:events';
import { connect } from 'node:net';

/**
 * Sends one inline command to Redis.
 * @throws Error when the response is not OK or is missing
 */
export async function runRedisCommand(redisUrl: string, command: string, ms = 5_000): Promise<void> {
  const { hostname, port, password } = new URL(redisUrl);
  const socket = connect(Number(port), hostname);
  const signal = AbortSignal.timeout(ms);
  try {
    await once(socket, 'connect', { signal });
    socket.write(`AUTH ${decodeURIComponent(password)}\r\n${command}\r\n`);
    let heard = '';
    while (heard.split('\r\n').length < 3) heard += String(((await once(socket, 'data', { signal })) as [Buffer])[0]);
    if (heard !== '+OK\r\n+OK\r\n') throw new Error(`Redis answered ${JSON.stringify(heard)} to ${command}`);
  } finally {
    socket.destroy();
  }
}
