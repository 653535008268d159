import { createHash } from 'node:crypto';
import type { EventDraft } from '@pilothouse/contract/events/event-log.schema';
import type { ModelAnswer, ModelRequest } from '@pilothouse/contract/model/model.schema';
import type { BlobStore } from '@pilothouse/core/ports/blob-store.port';
import type { Clock, Log } from '@pilothouse/core/ports/runtime.port';
import { sniffContentType, SNIFFED_BYTES } from '@pilothouse/infra-blob';
import { announceArtifact, findArtifact, markStored, type Pool } from '@pilothouse/infra-db';
import { artifactCreatedEvent } from '../common/artifact-created-event.ts';

export interface ModelCallTracesDeps {
  readonly pool: Pool;
  readonly store: BlobStore;
  newId(): string;
  readonly clock: Clock;
  readonly log: Log;
}

/** A request with its attempt and step. */
interface TracedRequest {
  readonly run: string;
  readonly epoch: number;
  readonly step: number | null;
  readonly request: ModelRequest;
}

/** A stored trace of a call. */
export interface StoredTrace {
  /** Id of the artifact. */
  readonly id: string;
  /** Events of the files that were stored. */
  readonly events: readonly EventDraft[];
}

/** A file to store. */
interface File {
  readonly id: string;
  readonly name: string;
  readonly body: Buffer;
}

/** Milliseconds that the store has for the files of a call: its answer waits for them. */
const STORE_MS = 10_000;

/**
 * Stores model requests and answers as artifacts of the run: one JSON file for each call, and each image once. Requests refer to images by
 * artifact id. The worker has masked secrets.
 */
export class ModelCallTraces {
  private readonly options: ModelCallTracesDeps;

  constructor(options: ModelCallTracesDeps) {
    this.options = options;
  }

  /** @returns null when the files could not be stored; the call is not affected */
  async store(call: TracedRequest, answer: ModelAnswer, finish: string): Promise<StoredTrace | null> {
    const { newId, log } = this.options;
    try {
      const images = new Map<string, File>();
      const request = withoutImages(call, images);
      const id = newId();
      const body = Buffer.from(JSON.stringify({ request, answer: { ...answer, finish } }, null, 2));
      const name = `model-${call.request.role}-${id.slice(0, 8)}.json`;
      const files = [...images.values(), { id, name, body }];
      const events = await Promise.all(files.map((file) => this.file(call, file)));
      return { id, events: events.flatMap((event) => event ?? []) };
    } catch (error) {
      log.warn({ run: call.run, error: String(error) }, 'model call trace not stored');
      return null;
    }
  }

  /** @returns null when it is already stored */
  private async file({ run, epoch, step }: TracedRequest, file: File): Promise<EventDraft | null> {
    const { pool, store, clock } = this.options;
    const { id, name, body } = file;
    if ((await findArtifact(pool, { run, epoch }, id))?.stored) return null;
    const key = `runs/${run}/${epoch}/${id}/${name}`;
    const contentType = await sniffContentType({ kind: 'trace', name, head: body.subarray(0, SNIFFED_BYTES) });
    const facts = { step, kind: 'trace', name, contentType, size: body.length } as const;
    await announceArtifact(pool, { id, run, epoch, key, ...facts });
    await store.put(key, body, { contentType, maxBytes: body.length, signal: AbortSignal.timeout(STORE_MS) });
    if (!(await markStored(pool, id, body.length))) return null;
    return artifactCreatedEvent({ artifact: id, ...facts }, clock.now());
  }
}

/** Replaces the images of a request with artifact ids. @param images receives the images, by artifact id */
function withoutImages({ run, epoch, request }: TracedRequest, images: Map<string, File>): object {
  return {
    ...request,
    messages: request.messages.map(({ role, parts }) => ({
      role,
      parts: parts.map((part) => {
        if (!('image' in part)) return part;
        const { contentType, data } = part.image;
        const body = Buffer.from(data, 'base64');
        const id = idOf(`${run}/${epoch}`, body);
        images.set(id, { id, name: `model-image-${id.slice(0, 8)}.jpg`, body });
        return { image: { contentType, artifact: id } };
      }),
    })),
  };
}

/** Id of an image within an attempt: a UUID (version 8) derived from its hash. */
function idOf(attempt: string, body: Buffer): string {
  const hex = createHash('sha256').update(attempt).update(body).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
