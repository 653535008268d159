import { randomUUID } from 'node:crypto';
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { startTcpProxy, type TcpProxy } from '@pilothouse/testing/tcp-proxy';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { JobFetcher } from './job-fetcher.ts';
import { JobQueue } from './job-queue.ts';
import { jobId, queueName, type FleetJob, type DispatchJobId } from './dispatch-job.ts';

const server = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379';
const prefix = `t${randomUUID().slice(0, 8)}`;
const log = memoryLog();
const fleet = () => `f-${randomUUID().slice(0, 8)}`;
const newJob = (name: string): FleetJob => ({ run: randomUUID(), dispatch: 1, fleet: name, priority: 0 });

let wire: TcpProxy;
beforeEach(async () => (wire = await startTcpProxy(server)));
const boards: JobQueue[] = [];
afterEach(async () => {
  wire.flow();
  await Promise.all(boards.splice(0).map((board) => board.close()));
  await wire.close();
});

/** A board whose Redis answers. */
async function boardOn(redisUrl: string, answerMs?: number): Promise<JobQueue> {
  const board = new JobQueue({ redisUrl, prefix, log, ...(answerMs !== undefined && { timeoutMs: answerMs }) });
  boards.push(board);
  await until('Redis answers', () =>
    board.check().then(
      () => true,
      () => false,
    ),
  );
  return board;
}

describe('dispatch jobs', () => {
  it('fail at once while Redis is unavailable, also for a new fleet', async () => {
    const board = new JobQueue({ redisUrl: 'redis://127.0.0.1:9', prefix, log, timeoutMs: 60_000 });
    boards.push(board);
    const job = newJob(fleet());
    await expect(board.add([job])).rejects.toThrow('Redis is unavailable');
    await expect(board.findMissing([job])).rejects.toThrow('Redis is unavailable');
  });

  it('reach their queue while the first connection opens', async () => {
    const board = new JobQueue({ redisUrl: server, prefix, log });
    boards.push(board);
    const job = newJob(fleet());
    await board.add([job]);
    expect(await board.findMissing([job])).toEqual([]);
  });

  it('fail in time while the first connection hangs', async () => {
    wire.hang();
    const board = new JobQueue({ redisUrl: wire.url, prefix, log, timeoutMs: 300 });
    boards.push(board);
    await expect(board.add([newJob(fleet())])).rejects.toThrow('Redis did not answer within 300 ms');
  });

  it('fail in time while Redis hangs, and reach their queue once it responds', async () => {
    const board = await boardOn(wire.url, 300);
    wire.hang();
    const job = newJob(fleet());
    await expect(board.add([job])).rejects.toThrow();
    await expect(board.findMissing([job])).rejects.toThrow();
    wire.flow();
    await until('it waits in its queue', () =>
      board.add([job]).then(
        async () => (await board.findMissing([job])).length === 0,
        () => false,
      ),
    );
  });

  it('of a dead gateway are removed, and waiting ones are not', async () => {
    const board = await boardOn(server);
    const name = fleet();
    const [removed, waiting] = [newJob(name), newJob(name)];
    await board.add([removed]);
    const redis = new Redis(server, { maxRetriesPerRequest: null });
    const dead = new Worker(queueName(name), null, {
      connection: redis,
      prefix,
      autorun: false,
      lockDuration: 1,
      skipStalledCheck: true,
      skipLockRenewal: true,
    });
    expect((await dead.getNextJob('dead', { block: false }))?.id).toBe(jobId(removed));
    await board.add([waiting]);
    const exists = (job: FleetJob) => redis.exists(`${prefix}:${queueName(job.fleet)}:${jobId(job)}`);
    expect(await Promise.all([removed, waiting].map(exists))).toEqual([1, 1]);
    await until('the job is gone', async () => {
      await board.removeStale(name, 0);
      return (await exists(removed)) === 0;
    });
    expect(await board.findMissing([waiting])).toEqual([]);
    await dead.close(true);
    redis.disconnect();
  });
});

describe('the job fetcher', () => {
  it('skips a queue that does not respond, and resumes when it responds', async () => {
    const name = fleet();
    const board = await boardOn(server);
    let free = 0;
    const receivedJobs: DispatchJobId[] = [];
    const fetcher = new JobFetcher({
      redisUrl: wire.url,
      prefix,
      fleet: name,
      token: 'spec',
      log,
      freeSlots: () => free,
      onJob: async (job) => void receivedJobs.push(job),
      onIdle: () => undefined,
    });
    wire.hang();
    expect(fetcher.isIdle).toBe(false);
    free = 1;
    fetcher.onSlotFree();
    await until('the fetcher is idle', () => fetcher.isIdle);
    const job = newJob(name);
    await board.add([job]);
    wire.flow();
    await until('the job arrives', () => receivedJobs.length === 1);
    expect(receivedJobs).toEqual([{ run: job.run, dispatch: job.dispatch }]);
    await fetcher.close();
  });

  it('closes even if its queue does not respond', async () => {
    const fetcher = new JobFetcher({
      redisUrl: wire.url,
      prefix,
      fleet: fleet(),
      token: 'spec',
      log,
      freeSlots: () => 1,
      onJob: async () => undefined,
      onIdle: () => undefined,
    });
    wire.hang();
    await until('it waits for an answer', () => fetcher.isIdle);
    await fetcher.close();
  });
});
