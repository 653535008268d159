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
    let reply = '';
    while (reply.split('\r\n').length < 3) reply += String(((await once(socket, 'data', { signal })) as [Buffer])[0]);
    if (reply !== '+OK\r\n+OK\r\n') throw new Error(`Redis answered ${JSON.stringify(reply)} to ${command}`);
  } finally {
    socket.destroy();
  }
}
