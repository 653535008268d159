import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { LossPoint } from '@pilothouse/contract/learning/tuning-progress.schema';
import type { Context } from '@pilothouse/core/ports/runtime.port';
import type { Tuner, TuningFile, TuningRequest, TuningState } from '@pilothouse/core/ports/tuner.port';
import { ModelCallError } from '../provider-errors.ts';
import { lossOfJsonLines } from './loss-file.ts';
import { isObject, numberOf, suffixOf, textOf, type TunerHttp, type TunerJson } from './tuner-http.ts';

/* The fine-tuning API of Fireworks: https://docs.fireworks.ai/fine-tuning/fine-tuning-via-api. Job ids are chosen here. */

const statuses: Readonly<Record<string, TuningState['status']>> = {
  JOB_STATE_CREATING: 'queued',
  JOB_STATE_PENDING: 'queued',
  JOB_STATE_VALIDATING: 'queued',
  JOB_STATE_RUNNING: 'running',
  JOB_STATE_WRITING_RESULTS: 'running',
  JOB_STATE_CANCELLING: 'running',
  JOB_STATE_COMPLETED: 'succeeded',
  JOB_STATE_EARLY_STOPPED: 'succeeded',
  JOB_STATE_FAILED: 'failed',
  JOB_STATE_EXPIRED: 'failed',
  JOB_STATE_DELETING: 'cancelled',
  JOB_STATE_CANCELLED: 'cancelled',
};

const JOBS = '/supervisedFineTuningJobs';

/** Maximum bytes of a request for the metrics file, and maximum requests of a read of the state. */
const METRICS_PART_BYTES = 1024 * 1024;
const MAX_METRICS_PARTS = 8;

/** Tunes models at Fireworks. The base URL contains the account: `https://api.fireworks.ai/v1/accounts/ACCOUNT`. */
export class FireworksTuner implements Tuner {
  readonly #http: TunerHttp;
  /** `accounts/ACCOUNT`. */
  readonly #account: string;
  /** Bytes of complete lines that were read of the metrics file, by job. */
  readonly #metricsBytes = new Map<string, number>();

  constructor(http: TunerHttp, account: string) {
    this.#http = http;
    this.#account = account;
  }

  async find(key: string, context: Context): Promise<string | null> {
    return (await this.#http.find(`${JOBS}/${suffixOf(key)}`, context)) ? suffixOf(key) : null;
  }

  async start(request: TuningRequest, context: Context): Promise<string> {
    const { key, baseModel, displayName, method, training, validation, hyperparameters } = request;
    if (method !== 'supervised')
      throw new PilothouseError(
        'VALIDATION_FAILED',
        'Fireworks has supervised tuning only. Use the method `supervised`.',
      );
    const id = suffixOf(key);
    const { epochs, learningRate, adapterSize } = hyperparameters;
    await this.#upload(`${id}-train`, training, context);
    if (validation) await this.#upload(`${id}-validation`, validation, context);
    await this.#http.post(
      `${JOBS}?supervisedFineTuningJobId=${id}`,
      {
        displayName,
        dataset: `${this.#account}/datasets/${id}-train`,
        ...(validation && { evaluationDataset: `${this.#account}/datasets/${id}-validation` }),
        baseModel,
        outputModel: `${this.#account}/models/${id}`,
        ...(epochs !== undefined && { epochs }),
        ...(learningRate !== undefined && { learningRate }),
        ...(adapterSize !== undefined && { loraRank: adapterSize }),
      },
      context,
    );
    return id;
  }

  async read(id: string, context: Context): Promise<TuningState | null> {
    const job = await this.#http.find(`${JOBS}/${encodeURIComponent(id)}`, context);
    if (!job) return null;
    const providerStatus = textOf(job.state) ?? 'unknown';
    const status = statuses[providerStatus] ?? 'running';
    const message = isObject(job.status) ? textOf(job.status.message) : null;
    const percent = isObject(job.jobProgress) ? numberOf(job.jobProgress.percent) : null;
    return {
      status,
      providerStatus,
      model: status === 'succeeded' ? textOf(job.outputModel) : null,
      error: status === 'failed' ? (message ?? providerStatus) : null,
      trainedTokens: isObject(job.jobProgress) ? numberOf(job.jobProgress.inputTokens) : null,
      progress: percent === null ? null : Math.min(1, percent / 100),
      loss: await this.#newMetrics(id, job, context),
      messages: message === null ? [] : [{ at: null, text: message }],
    };
  }

  async cancel(id: string, context: Context): Promise<void> {
    const state = await this.read(id, context);
    if (state?.status === 'queued' || state?.status === 'running')
      await this.#http.post(`${JOBS}/${encodeURIComponent(id)}:cancel`, {}, context);
  }

  /** Points that were added to the metrics file since the last read. The next read continues after an error. */
  async #newMetrics(id: string, { metricsFileSignedUrl }: TunerJson, context: Context): Promise<LossPoint[]> {
    const url = textOf(metricsFileSignedUrl);
    if (url === null) return [];
    const points: LossPoint[] = [];
    try {
      for (let parts = 0; parts < MAX_METRICS_PARTS; parts += 1) {
        const start = this.#metricsBytes.get(id) ?? 0;
        const part = await this.#http.signedPart(url, start, METRICS_PART_BYTES, context);
        for (const point of lossOfJsonLines(part.toString('utf8'))) points.push(point);
        // The last line may be incomplete: it is read again.
        this.#metricsBytes.set(id, start + part.lastIndexOf('\n') + 1);
        if (part.length !== METRICS_PART_BYTES) break;
      }
    } catch (error) {
      if (!(error instanceof ModelCallError)) throw error;
    }
    return points;
  }

  /** A dataset of an earlier attempt is used again. */
  async #upload(dataset: string, file: TuningFile, context: Context): Promise<void> {
    await this.#create(dataset, context);
    const { state } = await this.#http.get(`/datasets/${dataset}`, context);
    if (state !== 'READY') await this.#http.upload(`/datasets/${dataset}:upload`, file, {}, context);
  }

  async #create(dataset: string, context: Context): Promise<TunerJson | null> {
    try {
      return await this.#http.post('/datasets', { datasetId: dataset, dataset: { userUploaded: {} } }, context);
    } catch (error) {
      if (error instanceof ModelCallError && error.status === 409) return null;
      throw error;
    }
  }
}
