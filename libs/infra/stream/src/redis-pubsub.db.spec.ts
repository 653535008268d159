import { randomUUID } from 'node:crypto';
import { startTcpProxy } from '@pilothouse/testing/tcp-proxy';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { RedisPubSub } from './redis-pubsub.ts';

const redisUrl = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379';

it('publishes messages, drops and counts them while Redis hangs, and resumes once it responds', async () => {
  const prefix = `t${randomUUID()}`;
  const wire = await startTcpProxy(redisUrl);
  let dropped = 0;
  const subscriber = new RedisPubSub({
    redisUrl: wire.url,
    prefix,
    log: memoryLog(),
    onDropped: (news) => (dropped += news),
  });
  const publisher = new RedisPubSub({ redisUrl, prefix, log: memoryLog() });
  const receivedMessages: string[] = [];
  await publisher.subscribe('frames', (message) => receivedMessages.push(message.toString().slice(0, 1))).ready;
  await subscriber.publish('frames', 'a');
  await until('it has arrived', () => receivedMessages.join('') === 'a');

  wire.hang();
  const frame = 'b'.repeat(1024 * 1024);
  const published = Array.from({ length: 20 }, () => subscriber.publish('frames', frame));
  await until('events beyond the limit are dropped', () => dropped >= 12);
  // A publisher does not wait for a Redis that hangs.
  await Promise.all(published);
  expect(dropped).toBe(20);
  wire.flow();
  await until('it resumes', async () => {
    await subscriber.publish('frames', 'c');
    return receivedMessages.includes('c');
  });
  subscriber.close();
  publisher.close();
  await wire.close();
});
