import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { PROXY_PASSWORD } from '@pilothouse/contract/project/egress.schema';
import { artifactLimits } from '@pilothouse/contract/run/artifact.schema';
import type { FromWorkerOf } from '@pilothouse/contract/worker/from-worker.messages';
import type { ToWorkerOf } from '@pilothouse/contract/worker/to-worker.messages';
import type { BlobStore, SignedTransfers } from '@pilothouse/core/ports/blob-store.port';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import { sniffContentType, SNIFFED_BYTES } from '@pilothouse/infra-blob';
import {
  announceArtifact,
  findArtifact,
  findInputFile,
  readRunSecrets,
  retryWhileUnavailable,
  type Pool,
  type RunWriter,
} from '@pilothouse/infra-db';
import { failpoint } from '@pilothouse/infra-fault';
import { artifactCreatedEvent } from '../../common/artifact-created-event.ts';
import type { ProjectSecretReader } from '../../sealing/project-secrets.ts';
import type { WorkerSession } from '../socket/worker-session.ts';

/** Validity of a signed URL for a worker. */
const URL_TTL_SECONDS = 600;

/** Content type of every file of a worker in the object store. */
const STORED_TYPE = 'application/octet-stream';

/** Longest outage of PostgreSQL that a read for a worker survives; the worker waits no longer. */
const READ_RETRY_MS = 30_000;

export interface TransferRequestsDeps {
  pool: Pool;
  writer: RunWriter;
  store: BlobStore;
  transfers: SignedTransfers;
  /** Opens the sealed secret inputs of a run. */
  unseal(sealed: Buffer, run: string): Record<string, string>;
  /** Opens the secrets of the project. */
  projectSecrets: Pick<ProjectSecretReader, 'read'>;
  newId(): string;
  clock: Clock;
}

/** Serves uploads, input files and secrets, each only for a run that the worker holds. */
export class TransferRequests {
  private readonly deps: TransferRequestsDeps;

  constructor(deps: TransferRequestsDeps) {
    this.deps = deps;
  }

  /** Grants an upload. The key contains the epoch, so that a lost attempt overwrites nothing. */
  async grantUpload(
    { attempts }: WorkerSession,
    request: FromWorkerOf<'upload.request'>,
  ): Promise<ToWorkerOf<'upload.grant'>> {
    const { run, epoch, step, kind, moment = null, contentType, size } = request;
    attempts.require(request);
    if (size > artifactLimits[kind]) {
      throw new PilothouseError(
        'PAYLOAD_TOO_LARGE',
        `A ${kind} can have ${artifactLimits[kind]} bytes; this one has ${size}`,
      );
    }
    const { pool, transfers, newId } = this.deps;
    const artifact = newId();
    const name = fileName(request.name);
    const key = `runs/${run}/${epoch}/${artifact}/${name}`;
    const facts = { step, kind, moment, name: request.name, contentType, size };
    await announceArtifact(pool, { id: artifact, run, epoch, key, ...facts });
    // The content type of the artifact is detected from the bytes, once they are stored.
    const transfer = await transfers.upload(key, {
      contentType: STORED_TYPE,
      maxBytes: size,
      expiresInSeconds: URL_TTL_SECONDS,
    });
    await failpoint('gateway.upload-granted', run);
    return { type: 'upload.grant', id: request.id, artifact, transfer };
  }

  /** Checks that an upload is stored, detects its content type, and adds the artifact to the run. */
  async confirmUpload(
    { id: session, attempts }: WorkerSession,
    request: FromWorkerOf<'upload.done'>,
  ): Promise<ToWorkerOf<'upload.stored'>> {
    const { run, epoch, artifact: id } = request;
    attempts.require(request);
    const { pool, store, writer, clock } = this.deps;
    const artifact = await findArtifact(pool, { run, epoch }, id);
    if (!artifact) throw new PilothouseError('NOT_FOUND', 'This attempt did not announce the file.');
    const object = await store.stat(artifact.key);
    if (!object) throw new PilothouseError('UPLOAD_FAILED', `${artifact.name} was not uploaded to the object store`);
    if (!artifact.stored) {
      const { step, kind, moment, name } = artifact;
      const head = await headOf(store, artifact.key, object.size);
      const contentType = await sniffContentType({ kind, name, head });
      const data = { artifact: id, step, kind, ...(moment && { moment }), name, contentType, size: object.size };
      // Records of turns are many and not for viewers.
      const events = kind === 'turn' ? [] : [artifactCreatedEvent(data, clock.now())];
      const guard = { from: ['running', 'awaiting_user'] as const, epoch, session };
      const result = await writer.markArtifactStored({ id, size: object.size, contentType }, { run, guard, events });
      if (result === 'refused') throw new PilothouseError('LEASE_LOST', 'Another attempt holds the run');
      await failpoint('gateway.upload-stored', run);
    }
    return { type: 'upload.stored', id: request.id, artifact: id };
  }

  /** Grants the download of a file input of the run. */
  async grantDownload(
    session: WorkerSession,
    request: FromWorkerOf<'file.request'>,
  ): Promise<ToWorkerOf<'file.grant'>> {
    session.attempts.require(request);
    const { pool, transfers } = this.deps;
    const file = await this.retryRead(session, () => findInputFile(pool, request.run, request.upload));
    if (!file) throw new PilothouseError('NOT_FOUND', 'The run does not name this file.');
    const { name, contentType, size } = file;
    const transfer = await transfers.download(file.key, { name, contentType, expiresInSeconds: URL_TTL_SECONDS });
    return { type: 'file.grant', id: request.id, name, contentType, size, transfer };
  }

  /** Reads a secret input at the moment it is typed: the value of the run, or the current value of the project. */
  async readSecret(
    session: WorkerSession,
    request: FromWorkerOf<'secret.request'>,
  ): Promise<ToWorkerOf<'secret.value'>> {
    const { run, name } = request;
    session.attempts.require(request);
    const { pool, unseal, projectSecrets } = this.deps;
    const secrets = await this.retryRead(session, () => readRunSecrets(pool, run));
    if (!secrets || (name !== PROXY_PASSWORD && !secrets.names.includes(name)))
      throw new PilothouseError('NOT_FOUND', `The run has no secret input "${name}".`);
    const reference = Object.hasOwn(secrets.references, name) ? secrets.references[name] : undefined;
    if (reference !== undefined) {
      const key = { project: secrets.project, name: reference };
      const secret = await this.retryRead(session, () => projectSecrets.read(key, name));
      return { type: 'secret.value', id: request.id, ...secret };
    }
    const value = secrets.sealed ? unseal(secrets.sealed, run)[name] : undefined;
    if (value === undefined)
      throw new PilothouseError('NOT_FOUND', `The run has no value for the secret input "${name}".`);
    return { type: 'secret.value', id: request.id, value };
  }

  /** Retries a read that a step depends on, so that a short outage of PostgreSQL does not fail the run. */
  private retryRead<Result>({ socket }: WorkerSession, read: () => Promise<Result>): Promise<Result> {
    const { clock } = this.deps;
    return retryWhileUnavailable(read, {
      clock,
      deadline: clock.monotonic() + READ_RETRY_MS,
      signal: socket.closed,
    });
  }
}

/** The first bytes of an object. */
async function headOf(store: Pick<BlobStore, 'get'>, key: string, size: number): Promise<Buffer> {
  if (size === 0) return Buffer.alloc(0);
  const chunks: Buffer[] = [];
  for await (const chunk of await store.get(key, { start: 0, end: SNIFFED_BYTES - 1 })) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** File name that is safe as the last part of a key. The artifact keeps its original name. */
const fileName = (name: string) =>
  name
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+/, '')
    .slice(-100) || 'file';
