import { Inject } from '@nestjs/common';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Job } from '@pilothouse/contract/job/job.schema';
import type { TuningEstimate, TuningEvents } from '@pilothouse/contract/learning/tuning-progress.schema';
import {
  tuningFileNames,
  type StartTuning,
  type TunerKind,
  type TuningSource,
} from '@pilothouse/contract/learning/tuning.schema';
import { estimateTuning, type ExampleCounts } from '@pilothouse/core/learning/tuning/tuning-estimate';
import type { ObjectStorage } from '@pilothouse/infra-blob';
import type { ModelsConfig } from '@pilothouse/infra-config';
import {
  findExportedFile,
  findUploadKey,
  isExportedUri,
  JobStore,
  readTuningCheckpoint,
  RegistryStore,
  UploadStore,
  type Pool,
} from '@pilothouse/infra-db';
import { BackgroundQueue } from '@pilothouse/infra-queue';
import { endpointProtocol, trainingPrice } from '@pilothouse/model';
import { MODELS_CONFIG, OBJECTS, POOL, TUNING_SOURCES } from '../common/injection-tokens.ts';
import { newId } from '../common/new-id.ts';
import { validationError } from '../http/request-validation.ts';
import { actorFrom, type Caller } from '../http/route-request.ts';
import { ExampleFileReader } from './example-file-reader.ts';

/** Returns whether the project has an upload. */
type HasUpload = (id: string) => Promise<boolean>;

/** Starts and estimates tuning jobs, and reads their events. */
export class TuningService {
  private readonly files: ExampleFileReader;

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(JobStore) private readonly jobs: JobStore,
    @Inject(BackgroundQueue) private readonly queue: Pick<BackgroundQueue, 'wake'>,
    @Inject(RegistryStore) private readonly registry: Pick<RegistryStore, 'exists'>,
    @Inject(UploadStore) private readonly uploads: Pick<UploadStore, 'use'>,
    @Inject(MODELS_CONFIG) private readonly models: ModelsConfig,
    @Inject(OBJECTS) objects: Pick<ObjectStorage, 'store'>,
    @Inject(TUNING_SOURCES) private readonly sources: readonly string[],
  ) {
    this.files = new ExampleFileReader(objects.store);
  }

  /** @throws PilothouseError VALIDATION_FAILED for an unknown endpoint or upload, or a location that is not allowed; CONFLICT if the registry has the name */
  async start(caller: Caller, body: StartTuning): Promise<Job> {
    const { project } = caller;
    const { name } = body;
    const useUpload = async (id: string) => (await this.uploads.use(project.id, [id])).length === 1;
    await this.requireEndpointAndFiles(project.id, body, useUpload);
    if (await this.registry.exists(project.id, name))
      throw new PilothouseError('CONFLICT', `The registry has a model ${name} already. Choose another \`name\`.`, {
        fields: [{ pointer: '/name', detail: 'It is taken' }],
      });
    const createdBy = actorFrom(caller);
    const { id } = await this.jobs.insert({
      ...{ id: newId(), project: project.id, kind: 'tune', params: body },
      ...(createdBy && { createdBy }),
    });
    void this.queue.wake([id]);
    const job = await this.jobs.read(project.id, id);
    if (!job) throw new PilothouseError('GONE', `Job ${id} was deleted.`);
    return job;
  }

  /**
   * Estimates tokens and price.
   * @throws PilothouseError VALIDATION_FAILED as `start`, and for a file without examples; UNAVAILABLE if the file is not read in time, or
   * too many files are being read
   */
  async estimate({ project }: Caller, body: StartTuning): Promise<TuningEstimate> {
    // An estimate does not protect the upload from retention.
    const hasUpload = async (id: string) => (await findUploadKey(this.pool, project.id, id)) !== null;
    await this.requireEndpointAndFiles(project.id, body, hasUpload);
    const { endpoint, baseModel, training } = body;
    const protocol = endpointProtocol(endpoint, this.models.endpoints[endpoint]?.protocol);
    const usdPerMillionTokens =
      protocol === undefined
        ? null
        : trainingPrice({ provider: endpoint, model: baseModel, protocol }, this.models.overrides);
    const counted = await this.countTraining(project.id, training);
    return estimateTuning({ request: body, usdPerMillionTokens, ...counted });
  }

  /** @throws PilothouseError NOT_FOUND */
  async readEvents({ project }: Caller, id: string): Promise<TuningEvents> {
    const job = await this.jobs.read(project.id, id);
    if (job?.kind !== 'tune') throw new PilothouseError('NOT_FOUND', `Tuning job ${id} not found.`);
    const stored = await readTuningCheckpoint(this.pool, project.id, id);
    const none = { tunerJob: null, states: [], messages: [], loss: [], trainedTokens: null, usd: null };
    return { job: id, status: job.status, ...(stored ?? none) };
  }

  private async countTraining(
    project: string,
    training: TuningSource,
  ): Promise<{ counts: ExampleCounts | null; share: number }> {
    const key = await this.keyOf(project, training);
    if (key === null) return { counts: null, share: 1 };
    const invalid = (detail: string) => validationError('body', [{ pointer: '/training', detail }]);
    const counted = await this.files.count(key);
    if (counted === null) throw invalid('The file was deleted, or not sent. Upload it again.');
    const { problem, bytes, size, ...counts } = counted;
    if (problem !== null) throw invalid(problem);
    if (counts.examples === 0) throw invalid('The file has no examples.');
    return { counts, share: Math.min(1, bytes / size) };
  }

  /** Object key of the training file; null: it is in a bucket of the tuner. */
  private async keyOf(project: string, source: TuningSource): Promise<string | null> {
    if ('uri' in source) return null;
    if ('upload' in source) return findUploadKey(this.pool, project, source.upload);
    const exported = await findExportedFile(this.pool, project, source.export, tuningFileNames.training);
    return exported && `datasets/${exported.dataset}/exports/${source.export}/${tuningFileNames.training}`;
  }

  /** @throws PilothouseError VALIDATION_FAILED */
  private async requireEndpointAndFiles(project: string, body: StartTuning, hasUpload: HasUpload): Promise<void> {
    const { endpoint, tuner, training, validation } = body;
    const names = Object.keys(this.models.endpoints);
    if (!names.includes(endpoint)) {
      const detail = `Endpoint ${endpoint} not found. Configured: ${names.join(', ') || 'none'}.`;
      throw validationError('body', [{ pointer: '/endpoint', detail }]);
    }
    const owner = { project, hasUpload };
    await this.requireFile(owner, tuner, 'training', training);
    if (validation) await this.requireFile(owner, tuner, 'validation', validation);
  }

  /** The tuner reads with the account of the installation, so a project may name only its exports and allowed folders. */
  private async mayRead(project: string, uri: string): Promise<boolean> {
    const isInAllowedFolder = !leavesFolder(uri) && this.sources.some((folder) => uri.startsWith(folder));
    return isInAllowedFolder || isExportedUri(this.pool, project, uri);
  }

  /** @throws PilothouseError VALIDATION_FAILED if the file does not exist or is not allowed, or the tuner cannot read it */
  private async requireFile(
    { project, hasUpload }: { readonly project: string; readonly hasUpload: HasUpload },
    tuner: TunerKind,
    field: keyof typeof tuningFileNames,
    source: TuningSource,
  ): Promise<void> {
    if ('uri' in source) {
      if (await this.mayRead(project, source.uri)) return;
      const detail =
        'This location is not allowed. Use `export`, or ask the operator to add it to PILOTHOUSE_TUNING_SOURCES.';
      throw validationError('body', [{ pointer: `/${field}/uri`, detail }]);
    }
    if ('upload' in source) {
      if (await hasUpload(source.upload)) return;
      const detail = `Upload ${source.upload} not found, or its file was not sent.`;
      throw validationError('body', [{ pointer: `/${field}/upload`, detail }]);
    }
    const name = tuningFileNames[field];
    const found = await findExportedFile(this.pool, project, source.export, name);
    if (found && (tuner !== 'vertex' || found.uri?.startsWith('gs://'))) return;
    const detail = found
      ? 'Vertex AI reads from Cloud Storage. Export the dataset to a `destination` of the kind gcs.'
      : `Export ${source.export} not found, not ready, or without ${name}.`;
    throw validationError('body', [{ pointer: `/${field}/export`, detail }]);
  }
}

/** Decodings after which an address counts as one of another folder. */
const MAX_DECODINGS = 5;

/** True if a trainer may read the address as one of another folder: `..` between slashes, plain or encoded once or several times. */
function leavesFolder(uri: string): boolean {
  let text = uri;
  for (let count = 0; count < MAX_DECODINGS; count += 1) {
    if (text.split(/[/\\]/).some((segment) => segment === '..' || segment === '.')) return true;
    const decoded = decodePercents(text);
    if (decoded === text) return false;
    text = decoded;
  }
  return true;
}

/** Decodes what is valid. Invalid sequences stay. */
const decodePercents = (text: string): string =>
  text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
