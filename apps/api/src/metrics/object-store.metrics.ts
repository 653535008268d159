import type { BlobStore } from '@pilothouse/core';
import type { Metrics } from '@pilothouse/infra-telemetry';

const operations = ['put', 'get', 'stat', 'delete', 'list', 'check'] as const;
type Operation = (typeof operations)[number];

/**
 * The object store, measured: how long it took to answer, by operation and result. Of `get` and `list` that is the first byte or key; the rest is
 * as fast as its reader.
 */
export function instrumentObjectStore(store: BlobStore, metrics: Metrics): BlobStore {
  const seconds = metrics.histogram({
    name: 'object_store_request_seconds',
    help: 'Time until the object store answered, by operation and result',
    labels: { operation: operations, result: ['success', 'failed'] },
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  });
  const timed = async <Result>(operation: Operation, work: () => Promise<Result>): Promise<Result> => {
    const began = performance.now();
    const took = (result: 'success' | 'failed') =>
      seconds.observe((performance.now() - began) / 1000, { operation, result });
    try {
      const result = await work();
      took('success');
      return result;
    } catch (error) {
      // What is not there is an answer, too.
      took(isAnswer(error) ? 'success' : 'failed');
      throw error;
    }
  };
  return {
    put: (key, body, options) => timed('put', () => store.put(key, body, options)),
    get: (key, range) => timed('get', () => store.get(key, range)),
    stat: (key) => timed('stat', () => store.stat(key)),
    delete: (keys) => timed('delete', () => store.delete(keys)),
    check: () => timed('check', () => store.check()),
    async *list(prefix) {
      const keys = store.list(prefix)[Symbol.asyncIterator]();
      const first = await timed('list', () => keys.next());
      for (let next = first; !next.done; next = await keys.next()) yield next.value;
    },
  };
}

const answers: ReadonlySet<unknown> = new Set(['NOT_FOUND', 'VALIDATION_FAILED', 'PAYLOAD_TOO_LARGE']);
const isAnswer = (error: unknown) => error instanceof Error && 'code' in error && answers.has(error.code);
