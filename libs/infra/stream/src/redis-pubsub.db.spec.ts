import { randomUUID } from 'node:crypto';
import { memoryLog, until, startTcpProxy } from '@pilothouse/testing';
import { RedisPubSub } from './redis-pubsub.ts';

const redisUrl = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379';

it('passes news on, drops and counts what a Redis that hangs does not take, and goes on when it answers', async () => {
  const prefix = `t${randomUUID()}`;
  const wire = await startTcpProxy(redisUrl);
  let dropped = 0;
  const here = new RedisPubSub({
    redisUrl: wire.url,
    prefix,
    log: memoryLog(),
    onDropped: (news) => (dropped += news),
  });
  const there = new RedisPubSub({ redisUrl, prefix, log: memoryLog() });
  const heard: string[] = [];
  await there.subscribe('frames', (message) => heard.push(message.toString().slice(0, 1))).ready;
  await here.publish('frames', 'a');
  await until('it came', () => heard.join('') === 'a');

  wire.hang();
  const frame = 'b'.repeat(1024 * 1024);
  const published = Array.from({ length: 20 }, () => here.publish('frames', frame));
  await until('what is too much is dropped', () => dropped >= 12);
  // Nobody waits for a Redis that hangs.
  await Promise.all(published);
  expect(dropped).toBe(20);
  wire.flow();
  await until('it goes on', async () => {
    await here.publish('frames', 'c');
    return heard.includes('c');
  });
  here.close();
  there.close();
  await wire.close();
});
