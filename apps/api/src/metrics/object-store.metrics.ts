import type { BlobStore } from '@pilothouse/core/ports/blob-store.port';
import type { Metrics } from '@pilothouse/infra-telemetry';

const operations = ['put', 'get', 'stat', 'copy', 'delete', 'list', 'check'] as const;
type Operation = (typeof operations)[number];

/**
 * Measures the time until the object store answers, by operation and result. For `get` and `list` it is the time until the first byte or
 * key; the rest depends on the reader.
 */
export function instrumentObjectStore(store: BlobStore, metrics: Metrics): BlobStore {
  const seconds = metrics.histogram({
    name: 'object_store_request_seconds',
    help: 'Time until the object store answered. Transfers with signed URLs are not counted',
    labels: { operation: operations, result: ['success', 'failed'] },
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  });
  const measure = async <Result>(operation: Operation, work: () => Promise<Result>): Promise<Result> => {
    const start = performance.now();
    const observe = (result: 'success' | 'failed') =>
      seconds.observe((performance.now() - start) / 1000, { operation, result });
    try {
      const result = await work();
      observe('success');
      return result;
    } catch (error) {
      // "Not found" and similar responses are answers too.
      observe(isAnswer(error) ? 'success' : 'failed');
      throw error;
    }
  };
  return {
    put: (key, body, options) => measure('put', () => store.put(key, body, options)),
    get: (key, range) => measure('get', () => store.get(key, range)),
    stat: (key) => measure('stat', () => store.stat(key)),
    copy: (copies) => measure('copy', () => store.copy(copies)),
    delete: (keys) => measure('delete', () => store.delete(keys)),
    check: () => measure('check', () => store.check()),
    async *list(prefix, options) {
      const keys = store.list(prefix, options)[Symbol.asyncIterator]();
      const first = await measure('list', () => keys.next());
      for (let next = first; !next.done; next = await keys.next()) yield next.value;
    },
  };
}

const answerCodes: ReadonlySet<unknown> = new Set(['NOT_FOUND', 'VALIDATION_FAILED', 'PAYLOAD_TOO_LARGE']);
const isAnswer = (error: unknown) => error instanceof Error && 'code' in error && answerCodes.has(error.code);
