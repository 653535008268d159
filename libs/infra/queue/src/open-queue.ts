import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';

/** Opens a BullMQ queue on a connection. @throws if Redis does not answer */
export async function openQueue(redis: Redis, name: string, prefix: string): Promise<Queue> {
  const queue = new Queue(name, { connection: redis, prefix, skipVersionCheck: true });
  // The connection logs the error.
  queue.on('error', () => undefined);
  try {
    await queue.waitUntilReady();
    return queue;
  } catch (error) {
    await queue.close().catch(() => undefined);
    throw error;
  }
}
