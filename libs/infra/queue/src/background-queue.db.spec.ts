import { randomUUID } from 'node:crypto';
import { startTcpProxy, type TcpProxy } from '@pilothouse/testing/tcp-proxy';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { BackgroundQueue } from './background-queue.ts';
import { BackgroundWakeups } from './background-wakeups.ts';

const redisUrl = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379';
const log = memoryLog();
const open: { close(): Promise<void> }[] = [];
let prefix: string;

beforeEach(() => {
  prefix = `t${randomUUID().slice(0, 8)}`;
});
afterEach(async () => {
  for (const resource of open.splice(0)) await resource.close();
});

function openQueue(url = redisUrl): BackgroundQueue {
  const queue = new BackgroundQueue({ redisUrl: url, prefix, log });
  open.push(queue);
  return queue;
}

function openWakeups(token: string, state = { hasFreeSlot: true }) {
  const receiver = { wakeupCount: 0, state, wakeups: null as unknown as BackgroundWakeups };
  receiver.wakeups = new BackgroundWakeups({
    ...{ redisUrl, prefix, log, token },
    hasFreeSlot: () => state.hasFreeSlot,
    onWake: () => (receiver.wakeupCount += 1),
  });
  open.push(receiver.wakeups);
  return receiver;
}

test('each wake-up wakes one job runner', async () => {
  const jobRunners = [openWakeups('a'), openWakeups('b')];
  const wakeupCount = () => jobRunners.reduce((sum, { wakeupCount }) => sum + wakeupCount, 0);
  const queue = openQueue();
  await until('the queue is connected', async () => {
    await queue.wake([randomUUID()]);
    return wakeupCount() > 0;
  });
  const previousCount = wakeupCount();
  await queue.wake([randomUUID(), randomUUID(), randomUUID()]);
  await until('all wake-ups arrive', () => wakeupCount() >= previousCount + 3);
});

test('a job runner without a free slot leaves wake-ups for others, and receives them when it has one', async () => {
  const busy = openWakeups('busy', { hasFreeSlot: false });
  const queue = openQueue();
  const free = openWakeups('free');
  await until('the free job runner is woken', async () => {
    await queue.wake([randomUUID()]);
    return free.wakeupCount > 0;
  });
  expect(busy.wakeupCount).toBe(0);
  free.state.hasFreeSlot = false;
  // The free job runner may still wait in one blocking fetch, which takes the next wake-up.
  busy.state.hasFreeSlot = true;
  busy.wakeups.onSlotFree();
  await until('the busy job runner is woken', async () => {
    await queue.wake([randomUUID()]);
    return busy.wakeupCount > 0;
  });
});

test('a wake-up that Redis does not answer is dropped within its deadline', async () => {
  const proxy: TcpProxy = await startTcpProxy(redisUrl);
  const queue = openQueue(proxy.url);
  const receiver = openWakeups('a');
  await until('the queue is connected', async () => {
    await queue.wake([randomUUID()]);
    return receiver.wakeupCount > 0;
  });
  const messages = () => log.lines.filter(({ message }) => message === 'job runners not woken').length;
  const previousCount = messages();
  proxy.hang();
  await queue.wake([randomUUID()]);
  expect(messages()).toBe(previousCount + 1);
  await proxy.close();
});
