import {
  artifactLimits,
  createEvent,
  PilothouseError,
  PROXY_PASSWORD,
  type FromWorkerOf,
  type ToWorkerOf,
} from '@pilothouse/contract';
import type { BlobStore, Clock, SignedTransfers } from '@pilothouse/core';
import { sniffContentType, SNIFFED_BYTES } from '@pilothouse/infra-blob';
import {
  announceArtifact,
  findArtifact,
  findInputFile,
  readSealedSecrets,
  retryWhileUnavailable,
  type Pool,
  type RunWriter,
} from '@pilothouse/infra-db';
import { hit } from '@pilothouse/infra-fault';
import type { WorkerSocket } from '../socket/worker-socket.ts';

/** Seconds a signed URL for a worker is good for. */
const EXPIRES = 600;

/** The type that every file of a worker has in the store. */
const STORED_TYPE = 'application/octet-stream';

/** Milliseconds for which PostgreSQL may be away when something is read for a worker, which waits no longer itself. */
const OUTAGE_MS = 30_000;

export interface TransferRequestsDeps {
  pool: Pool;
  writer: RunWriter;
  store: BlobStore;
  transfers: SignedTransfers;
  /** Opens what `seal` closed for the same run. */
  unseal(sealed: Buffer, run: string): Record<string, string>;
  newId(): string;
  clock: Clock;
}

/** What a worker asks the house for: places for files, files, secrets. Each only for a run that it holds. */
export class TransferRequests {
  private readonly options: TransferRequestsDeps;

  constructor(options: TransferRequestsDeps) {
    this.options = options;
  }

  /** A place for a file of the run; the key contains the epoch, so a lost attempt overwrites nothing. */
  async grantUpload(
    socket: WorkerSocket,
    request: FromWorkerOf<'upload.request'>,
  ): Promise<ToWorkerOf<'upload.grant'>> {
    const { run, epoch, step, kind, moment = null, contentType, size } = request;
    requireHeldAttempt(socket, request);
    if (size > artifactLimits[kind]) {
      throw new PilothouseError(
        'PAYLOAD_TOO_LARGE',
        `A ${kind} has at most ${artifactLimits[kind]} bytes; this one has ${size}`,
      );
    }
    const { pool, transfers, newId } = this.options;
    const artifact = newId();
    const name = fileName(request.name);
    const key = `runs/${run}/${epoch}/${artifact}/${name}`;
    const facts = { step, kind, moment, name: request.name, contentType, size };
    await announceArtifact(pool, { id: artifact, run, epoch, key, ...facts });
    // The type that counts is found from the bytes, once they are there.
    const transfer = await transfers.upload(key, {
      contentType: STORED_TYPE,
      maxBytes: size,
      expiresInSeconds: EXPIRES,
    });
    await hit('gateway.upload-granted', run);
    return { type: 'upload.grant', id: request.id, artifact, transfer };
  }

  /** The worker says that the file is there: the gateway looks, finds its type, and only then there is an artifact. */
  async confirmUpload(
    socket: WorkerSocket,
    request: FromWorkerOf<'upload.done'>,
  ): Promise<ToWorkerOf<'upload.stored'>> {
    const { run, epoch, artifact: id } = request;
    requireHeldAttempt(socket, request);
    const { pool, store, writer, clock } = this.options;
    const artifact = await findArtifact(pool, { run, epoch }, id);
    if (!artifact) throw new PilothouseError('NOT_FOUND', 'This attempt announced no such file');
    const found = await store.stat(artifact.key);
    if (!found) throw new PilothouseError('UPLOAD_FAILED', `${artifact.name} did not arrive at the object store`);
    if (!artifact.stored) {
      const { step, kind, moment, name } = artifact;
      const head = await headOf(store, artifact.key, found.size);
      const contentType = await sniffContentType({ kind, name, head });
      const data = { artifact: id, step, kind, ...(moment && { moment }), name, contentType, size: found.size };
      const events = [createEvent('artifact.created', `Kept ${name}`, data, clock.now())];
      const guard = { from: ['running', 'awaiting_user'] as const, epoch, session: socket.session };
      const noted = await writer.markArtifactStored({ id, size: found.size, contentType }, { run, guard, events });
      if (noted === 'refused') throw new PilothouseError('LEASE_LOST', 'Another attempt holds the run');
      await hit('gateway.upload-stored', run);
    }
    return { type: 'upload.stored', id: request.id, artifact: id };
  }

  /** A file input of the run. */
  async grantDownload(socket: WorkerSocket, request: FromWorkerOf<'file.request'>): Promise<ToWorkerOf<'file.grant'>> {
    requireHeldAttempt(socket, request);
    const { pool, transfers } = this.options;
    const file = await this.read(socket, () => findInputFile(pool, request.run, request.upload));
    if (!file) throw new PilothouseError('NOT_FOUND', 'The run names no such file');
    const { name, contentType, size } = file;
    const transfer = await transfers.download(file.key, { name, contentType, expiresInSeconds: EXPIRES });
    return { type: 'file.grant', id: request.id, name, contentType, size, transfer };
  }

  /** A secret input, at the moment of typing. */
  async readSecret(socket: WorkerSocket, request: FromWorkerOf<'secret.request'>): Promise<ToWorkerOf<'secret.value'>> {
    const { run, name } = request;
    requireHeldAttempt(socket, request);
    const { pool, unseal } = this.options;
    const found = await this.read(socket, () => readSealedSecrets(pool, run));
    if (!found || (name !== PROXY_PASSWORD && !found.names.includes(name)))
      throw new PilothouseError('NOT_FOUND', `The run has no secret input "${name}"`);
    const value = unseal(found.sealed, run)[name];
    if (value === undefined)
      throw new PilothouseError('NOT_FOUND', `The run has no value for the secret input "${name}"`);
    return { type: 'secret.value', id: request.id, value };
  }

  /** Reads what a step cannot go on without: a run does not fail because PostgreSQL is away for a moment. */
  private read<Found>(socket: WorkerSocket, read: () => Promise<Found>): Promise<Found> {
    const { clock } = this.options;
    return retryWhileUnavailable(read, { clock, deadline: clock.monotonic() + OUTAGE_MS, signal: socket.closed });
  }
}

/** The first bytes of an object. */
async function headOf(store: Pick<BlobStore, 'get'>, key: string, size: number): Promise<Buffer> {
  if (size === 0) return Buffer.alloc(0);
  const chunks: Buffer[] = [];
  for await (const chunk of await store.get(key, { start: 0, end: SNIFFED_BYTES - 1 })) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

export function requireHeldAttempt(socket: WorkerSocket, attempt: { run: string; epoch: number }): void {
  if (!socket.held.get(attempt)) throw new PilothouseError('LEASE_LOST', 'This worker does not hold the run');
}

/** A name that is safe as the last part of a key; what people see keeps the name as it was. */
const fileName = (name: string) =>
  name
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+/, '')
    .slice(-100) || 'file';
