import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { PilothouseError, toPilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { tuningCheckpointSchema, type TuningCheckpoint } from '@pilothouse/contract/learning/tuning-progress.schema';
import {
  startTuningSchema,
  tuningFileNames,
  type StartTuning,
  type TuningSource,
} from '@pilothouse/contract/learning/tuning.schema';
import { modelNameSchema } from '@pilothouse/contract/model/model-settings.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { addTuningState } from '@pilothouse/core/learning/tuning/tuning-progress';
import type { Context } from '@pilothouse/core/ports/runtime.port';
import type { Tuner, TuningFile, TuningState } from '@pilothouse/core/ports/tuner.port';
import { poll } from '@pilothouse/core/time/deadlines';
import type { ModelEndpoint, ModelsConfig } from '@pilothouse/infra-config';
import { findExportedFile, findUploadKey, RegistryStore } from '@pilothouse/infra-db';
import { createTuner, endpointProtocol, trainingPrice } from '@pilothouse/model';
import { exportFolder } from '../datasets/dataset-objects.ts';
import type { JobContext, JobHandler } from '../runner/job-handler.ts';
import type { JobDependencies } from '../job-dependencies.ts';
import { trainerNotFound } from './kubernetes-trainers.ts';

/** Milliseconds between two reads of the state of a tuning job. */
const POLL_INTERVAL_MS = 20_000;

/** Timeout of one call of the tuner with its uploads, in milliseconds. */
const CALL_TIMEOUT_MS = 3_600_000;

/** Timeout of the cancellation at the tuner, in milliseconds. */
const CANCEL_TIMEOUT_MS = 60_000;

/** Maximum outage of the tuner before the attempt fails, in milliseconds. */
const MAX_TUNER_OUTAGE_MS = 6 * 3_600_000;

export interface TuneHandlerDeps extends JobDependencies {
  readonly endpoints: ModelsConfig['endpoints'];
  /** Milliseconds between two reads of the state (default: 20 s). */
  readonly pollMs?: number;
}

/** Tunes a model at a service, and registers it. The checkpoint of the job has the id of the tuning job, so another job runner can follow it. */
export const createTuneHandler = (deps: TuneHandlerDeps): JobHandler<StartTuning> => ({
  params: startTuningSchema,
  needsSlot: false,
  run: (params, job) => new TuneAttempt(params, job, deps).run(),
});

/** @throws PilothouseError MODEL_NOT_CONFIGURED */
function endpointOf({ endpoint: name }: StartTuning, { endpoints }: TuneHandlerDeps): ModelEndpoint {
  const endpoint = Object.hasOwn(endpoints, name) ? endpoints[name] : undefined;
  if (endpoint) return endpoint;
  throw new PilothouseError(
    'MODEL_NOT_CONFIGURED',
    `The job runner has no endpoint ${name}: add it to its model settings.`,
  );
}

/** @throws PilothouseError MODEL_NOT_CONFIGURED for an unknown endpoint or trainer */
function createTunerOf(params: StartTuning, deps: TuneHandlerDeps): Tuner {
  const { tuner: kind, endpoint: name, trainer = '' } = params;
  const endpoint = endpointOf(params, deps);
  const { trainers } = deps;
  if (kind !== 'kubernetes') return createTuner({ kind, name, endpoint });
  if (trainers) return trainers.tuner(trainer);
  throw trainerNotFound(trainer, []);
}

/** Error of a tuning job that ended without a model; null: it has not. @param state null: the tuner lost it */
function failureOf(state: TuningState | null, tunerJob: string): PilothouseError | null {
  const failed = (message: string) => new PilothouseError('TUNING_FAILED', message);
  if (!state) return failed(`The tuner no longer has the tuning job ${tunerJob}. Start a new tuning job.`);
  const { error, status, providerStatus } = state;
  if (status === 'failed') return failed(`The tuning job failed: ${error ?? providerStatus}`);
  if (status === 'cancelled') return failed('The tuning job was cancelled at the tuner. Start a new tuning job.');
  return null;
}

class TuneAttempt {
  readonly #params: StartTuning;
  readonly #job: JobContext;
  readonly #deps: TuneHandlerDeps;
  #openedTuner: Tuner | null = null;
  #isStartRequested = false;
  #progress: TuningCheckpoint | null = null;

  constructor(params: StartTuning, job: JobContext, deps: TuneHandlerDeps) {
    this.#params = params;
    this.#job = job;
    this.#deps = deps;
  }

  async run(): Promise<Json> {
    const { signal } = this.#job;
    const stored = this.#job.checkpoint === null ? null : tuningCheckpointSchema.parse(this.#job.checkpoint);
    try {
      signal.throwIfAborted();
      const tunerJob = stored?.tunerJob ?? (await this.#findOrStart());
      await this.#saveProgress(stored ?? tuningCheckpointSchema.parse({ tunerJob }));
      return await this.#register(await this.#follow(tunerJob), tunerJob);
    } catch (error) {
      if (signal.aborted && toPilothouseError(signal.reason).code === 'JOB_CANCELLED') {
        await this.#cancel(stored?.tunerJob ?? this.#progress?.tunerJob ?? null);
        await this.#deleteResult();
      }
      const { code, message } = toPilothouseError(error);
      throw code === 'MODEL_REFUSED' ? new PilothouseError('TUNING_FAILED', message, { cause: error }) : error;
    }
  }

  /** An earlier attempt may have started the tuning job without storing its id. */
  async #findOrStart(): Promise<string> {
    const { id } = this.#job;
    const found = await this.#tuner.find(id, this.#context(CALL_TIMEOUT_MS));
    if (found !== null) return found;
    const { baseModel, name: displayName, method, training, validation, hyperparameters } = this.#params;
    const folder = await mkdtemp(join(tmpdir(), 'pilothouse-tuning-'));
    try {
      const files = {
        training: await this.#file(tuningFileNames.training, training, folder),
        validation: validation ? await this.#file(tuningFileNames.validation, validation, folder) : null,
      };
      const request = { key: id, baseModel, displayName, method, hyperparameters, ...files };
      this.#isStartRequested = true;
      return await this.#tuner.start(request, this.#context(CALL_TIMEOUT_MS));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** @throws PilothouseError NOT_FOUND if the upload was deleted */
  async #file(name: string, source: TuningSource, folder: string): Promise<TuningFile> {
    const path = join(folder, name);
    if ('uri' in source) return { name, path, uri: source.uri };
    const uri = this.#params.tuner === 'vertex' ? await this.#uriOf(source, name) : null;
    if (uri !== null) return { name, path, uri };
    const key = await this.#keyOf(source, name);
    if (key === null)
      throw new PilothouseError('NOT_FOUND', `The file ${name} was deleted. Start a new job with another file.`);
    const { tuner } = this.#params;
    const { trainers } = this.#deps;
    if (tuner === 'kubernetes' && trainers) return { name, path, uri: null, url: await trainers.downloadUrl(key) };
    const object = await this.#deps.objects.get(key);
    await pipeline(object, createWriteStream(path), { signal: this.#job.signal });
    return { name, path, uri: null };
  }

  /** Address of a file of an export at its destination; null: none. */
  async #uriOf(source: TuningSource, name: string): Promise<string | null> {
    if (!('export' in source)) return null;
    return (await findExportedFile(this.#deps.pool, this.#job.project, source.export, name))?.uri ?? null;
  }

  /** Object key of an upload, or of a file of an export; null: it was deleted. */
  async #keyOf(source: Exclude<TuningSource, { uri: string }>, name: string): Promise<string | null> {
    const { pool } = this.#deps;
    const { project } = this.#job;
    if ('upload' in source) return findUploadKey(pool, project, source.upload);
    const exported = await findExportedFile(pool, project, source.export, name);
    return exported && `${exportFolder(exported.dataset, source.export)}/${name}`;
  }

  /** Dataset of the examples; undefined: they are not from a dataset. */
  async #datasetOf(): Promise<string | undefined> {
    const { training } = this.#params;
    if (!('export' in training)) return undefined;
    const exported = await findExportedFile(
      this.#deps.pool,
      this.#job.project,
      training.export,
      tuningFileNames.training,
    );
    return exported?.dataset;
  }

  /** Waits for the end of the tuning job. @throws PilothouseError TUNING_FAILED */
  async #follow(tunerJob: string): Promise<TuningState> {
    const { clock, log, id } = this.#job;
    let unavailableSince: number | null = null;
    for (;;) {
      try {
        const state = await this.#tuner.read(tunerJob, this.#context(CALL_TIMEOUT_MS));
        unavailableSince = null;
        if (state) await this.#reportProgress(state);
        if (state?.status === 'succeeded') return state;
        const failure = failureOf(state, tunerJob);
        if (failure) {
          await this.#deleteResult();
          throw failure;
        }
      } catch (error) {
        this.#job.signal.throwIfAborted();
        if (toPilothouseError(error).code !== 'MODEL_UNAVAILABLE') throw error;
        unavailableSince ??= clock.monotonic();
        if (clock.monotonic() - unavailableSince > MAX_TUNER_OUTAGE_MS) throw error;
        log.warn({ job: id, error: String(error) }, 'tuner not available, next read after the interval');
      }
      await this.#job.delay(this.#pollMs);
      this.#job.throwIfStopping();
    }
  }

  async #reportProgress(state: TuningState): Promise<void> {
    const { progress, providerStatus, status } = state;
    const stored = this.#progress;
    const added = stored && addTuningState(stored, state, this.#job.clock.now().toISOString());
    if (added && added !== stored) await this.#saveProgress({ ...added, usd: this.#usdOf(added.trainedTokens) });
    const step = this.#progress?.loss.at(-1)?.step ?? 0;
    if (progress !== null) await this.#job.progress(Math.round(progress * 100), 100, 'percent', providerStatus);
    else await this.#job.progress(status === 'succeeded' ? Math.max(1, step) : step, null, 'steps', providerStatus);
  }

  async #saveProgress(progress: TuningCheckpoint): Promise<void> {
    this.#progress = progress;
    await this.#job.saveCheckpoint(progress);
  }

  #usdOf(trainedTokens: number | null): number | null {
    const { endpoint: provider, baseModel: model } = this.#params;
    const protocol = endpointProtocol(provider, endpointOf(this.#params, this.#deps).protocol);
    const usdPerMillionTokens =
      protocol === undefined ? null : trainingPrice({ provider, model, protocol }, this.#deps.modelEntries);
    return trainedTokens === null || usdPerMillionTokens === null
      ? null
      : (trainedTokens * usdPerMillionTokens) / 1_000_000;
  }

  /** Registers the tuned model. A second attempt finds it registered. */
  async #register({ model }: TuningState, tunerJob: string): Promise<Json> {
    const { endpoint, baseModel, name, role, surface, dialect } = this.#params;
    if (model === null)
      throw new PilothouseError('TUNING_FAILED', 'The tuning job succeeded, but the tuner names no model.');
    const base = modelNameSchema.safeParse(`${endpoint}/${baseModel}`);
    const { trainedTokens = null, usd = null, loss = [] } = this.#progress ?? {};
    const last = (name: 'trainingLoss' | 'validationLoss') => loss.flatMap((point) => point[name] ?? []).at(-1) ?? null;
    const metrics = { trainedTokens, finalLoss: last('trainingLoss'), finalValidationLoss: last('validationLoss') };
    const fullName = `${endpoint}/${model}`;
    const dataset = await this.#datasetOf();
    await new RegistryStore(this.#deps.pool).register(
      crypto.randomUUID(),
      this.#job.project,
      {
        ...{ name, model: fullName, job: this.#job.id, metrics },
        ...(base.success && { base: base.data }),
        ...{ role, surface, dialect, dataset },
      },
      null,
    );
    await this.#deleteResult();
    return { model: fullName, registered: name, tunerJob, trainedTokens, usd };
  }

  /** @param stored id of the tuning job; null: it was not stored @throws PilothouseError TUNING_NOT_CANCELLED */
  async #cancel(stored: string | null): Promise<void> {
    const { log, clock, id } = this.#job;
    const signal = AbortSignal.timeout(CANCEL_TIMEOUT_MS);
    const context = { signal, deadline: clock.monotonic() + CANCEL_TIMEOUT_MS, log };
    let tunerJob = stored;
    try {
      tunerJob ??= await this.#findStarted(context);
      if (tunerJob !== null) await this.#tuner.cancel(tunerJob, context);
    } catch (cause) {
      log.error({ job: id, tunerJob, error: String(cause) }, 'tuning job not cancelled at the tuner');
      const training = tunerJob === null ? 'The tuning job' : `The tuning job ${tunerJob}`;
      const reason = toPilothouseError(cause).message;
      throw new PilothouseError('TUNING_NOT_CANCELLED', `${training} was not cancelled at the tuner: ${reason}`, {
        cause,
      });
    }
  }

  /** Finds a tuning job whose id was not stored. The tuner may still create it after an aborted request, so it is read twice. */
  async #findStarted(context: Context): Promise<string | null> {
    const { id, clock } = this.#job;
    const waitMs = this.#isStartRequested ? this.#pollMs : 0;
    const find = async () => (await this.#tuner.find(id, context)) ?? undefined;
    const deadline = clock.monotonic() + waitMs;
    return (await poll(find, { signal: context.signal, deadline }, { everyMs: [waitMs] })) ?? null;
  }

  /** Deletes the result of a trainer, which no further attempt reads. An error does not change the end of the job. */
  async #deleteResult(): Promise<void> {
    const { log, id } = this.#job;
    if (this.#params.tuner !== 'kubernetes') return;
    try {
      await this.#deps.trainers?.deleteResult(id);
    } catch (error) {
      log.error({ job: id, error: String(error) }, 'result of the trainer not deleted');
    }
  }

  get #pollMs(): number {
    return this.#deps.pollMs ?? POLL_INTERVAL_MS;
  }

  /** @throws PilothouseError MODEL_NOT_CONFIGURED */
  get #tuner(): Tuner {
    return (this.#openedTuner ??= createTunerOf(this.#params, this.#deps));
  }

  #context(ms: number): Context {
    const { signal, log, clock } = this.#job;
    return { signal, log, deadline: clock.monotonic() + ms };
  }
}
