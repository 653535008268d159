import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ParsedElement } from '@pilothouse/contract/observation/screen-parse.schema';
import type { Attempt } from '@pilothouse/contract/worker/assignment.schema';
import type { ParserScreenshot } from '@pilothouse/core/ports/screen-parser.port';
import { createHash } from 'node:crypto';
import { readModelCallContext, type Pool } from '@pilothouse/infra-db';
import type { ScreenParseCache } from '@pilothouse/infra-queue';
import type { OmniParser } from '@pilothouse/model';
import type { declareScreenParses } from './screen-parse.metrics.ts';

/** Screenshots that one replica parses at a time. */
const MAX_PARALLEL_PARSES = 8;

interface ScreenParseRequest extends ParserScreenshot, Attempt {
  /** Session of the worker. */
  readonly session: string;
}

interface ScreenParseServiceDeps {
  readonly pool: Pool;
  readonly parser: Pick<OmniParser, 'parse'>;
  readonly cache: Pick<ScreenParseCache, 'get' | 'put' | 'close'>;
  readonly parses: ReturnType<typeof declareScreenParses>;
}

/**
 * Finds the elements of screenshots for runs. The gateway makes the key of the cache from the image itself: a worker cannot store elements for
 * a screenshot of another run. An image is parsed once per project and lifetime of the cache, except by two replicas at the same time.
 */
export class ScreenParseService {
  readonly #deps: ScreenParseServiceDeps;
  /** By project and key. */
  readonly #inProgress = new Map<string, Promise<readonly ParsedElement[]>>();
  readonly #closing = new AbortController();

  constructor(deps: ScreenParseServiceDeps) {
    this.#deps = deps;
  }

  /** @throws PilothouseError LEASE_LOST when the session does not hold the run, RATE_LIMITED, UNAVAILABLE when the parser failed */
  async parse({ jpeg, ...attempt }: ScreenParseRequest): Promise<readonly ParsedElement[]> {
    const context = await readModelCallContext(this.#deps.pool, attempt);
    if (!context) throw new PilothouseError('LEASE_LOST', 'This worker no longer holds the run; stop the attempt');
    const { project } = context;
    const key = createHash('sha256').update(jpeg).digest('hex');
    const cached = await this.#deps.cache.get(project, key);
    if (cached) {
      this.#deps.parses.add(1, { result: 'hit' });
      return cached;
    }
    try {
      const isJoined = this.#inProgress.has(`${project}/${key}`);
      const elements = await this.#parseOnce(project, key, jpeg);
      this.#deps.parses.add(1, { result: isJoined ? 'hit' : 'miss' });
      return elements;
    } catch (error) {
      this.#deps.parses.add(1, { result: 'failed' });
      throw error;
    }
  }

  /** Aborts the requests in progress. */
  close(): void {
    this.#closing.abort(new PilothouseError('UNAVAILABLE', 'The gateway is shutting down; try again'));
    this.#deps.cache.close();
  }

  /** Requests for one screenshot share one call. */
  #parseOnce(project: string, key: string, jpeg: Buffer): Promise<readonly ParsedElement[]> {
    const name = `${project}/${key}`;
    const known = this.#inProgress.get(name);
    if (known) return known;
    if (this.#inProgress.size >= MAX_PARALLEL_PARSES)
      throw new PilothouseError('RATE_LIMITED', `${MAX_PARALLEL_PARSES} screenshots are being parsed; try again later`);
    const parsing = this.#parseAndStore(project, key, jpeg).finally(() => this.#inProgress.delete(name));
    this.#inProgress.set(name, parsing);
    return parsing;
  }

  async #parseAndStore(project: string, key: string, jpeg: Buffer): Promise<readonly ParsedElement[]> {
    const elements = await this.#deps.parser.parse(jpeg, this.#closing.signal);
    await this.#deps.cache.put(project, key, elements);
    return elements;
  }
}
