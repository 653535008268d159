/**
 * The peer of the benchmark `dispatch`: a child process that only adds jobs to BullMQ and processes them. It receives the number of jobs,
 * and sends the durations.
 */
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';

export interface PeerRequest {
  readonly jobs: number;
}

/** Milliseconds for adding all jobs one by one, and for processing them. */
export interface PeerAnswer {
  readonly addMs: number;
  readonly processMs: number;
}

/** Concurrent adds, and concurrently processed jobs. A higher number is not faster. */
const CONCURRENCY = 100;

const [redisUrl = ''] = process.argv.slice(2);
const connection = new Redis(redisUrl, { maxRetriesPerRequest: null });
const queue = new Queue('peer', { connection, skipVersionCheck: true });

async function add(jobs: number): Promise<void> {
  let next = 0;
  const processJobs = async () => {
    while (next < jobs) {
      next += 1;
      await queue.add('run', null, { jobId: `run-${next}`, removeOnComplete: true, removeOnFail: true });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, processJobs));
}

function work(jobs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let remaining = jobs;
    const worker = new Worker('peer', async () => undefined, { connection, concurrency: CONCURRENCY });
    worker.on('error', reject);
    worker.on('completed', () => {
      remaining -= 1;
      if (remaining === 0) worker.close().then(resolve, reject);
    });
  });
}

process.on('message', ({ jobs }: PeerRequest) => {
  void (async () => {
    const startedAt = performance.now();
    await add(jobs);
    const addedAt = performance.now();
    await work(jobs);
    const answer: PeerAnswer = { addMs: addedAt - startedAt, processMs: performance.now() - addedAt };
    process.send?.(answer);
  })();
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
