import type { LossPoint } from '@pilothouse/contract/learning/tuning-progress.schema';
import type { Context } from '@pilothouse/core/ports/runtime.port';
import type { Tuner, TuningRequest, TuningState } from '@pilothouse/core/ports/tuner.port';
import { ModelCallError } from '../provider-errors.ts';
import { lossOfCsv, lossPointOf } from './loss-file.ts';
import {
  isObject,
  messagesOf,
  numberOf,
  objectsOf,
  suffixOf,
  textOf,
  type TunerHttp,
  type TunerJson,
} from './tuner-http.ts';

/*
 * The fine-tuning API of OpenAI, as Azure and other services offer it: https://learn.microsoft.com/azure/ai-foundry/openai/how-to/fine-tuning.
 * OpenAI's own service ends in January 2027.
 */

const statuses: Readonly<Record<string, TuningState['status']>> = {
  validating_files: 'queued',
  pending: 'queued',
  queued: 'queued',
  running: 'running',
  paused: 'running',
  succeeded: 'succeeded',
  failed: 'failed',
  cancelled: 'cancelled',
};

/** Jobs of a page, and pages that are searched for a job. */
const PAGE_SIZE = 100;
const MAX_PAGES = 20;

const path = (id: string): string => `/fine_tuning/jobs/${encodeURIComponent(id)}`;

/** Tunes models at an OpenAI-compatible endpoint. */
export class OpenAITuner implements Tuner {
  readonly #http: TunerHttp;

  constructor(http: TunerHttp) {
    this.#http = http;
  }

  async find(key: string, context: Context): Promise<string | null> {
    let lastId = '';
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const answer = await this.#http.get(`/fine_tuning/jobs?limit=${PAGE_SIZE}${lastId}`, context);
      const jobs = objectsOf(answer.data);
      const job = jobs.find((candidate) => hasKey(candidate, key));
      if (job) return textOf(job.id);
      const last = textOf(jobs.at(-1)?.id);
      if (answer.has_more !== true || last === null) return null;
      lastId = `&after=${encodeURIComponent(last)}`;
    }
    return null;
  }

  async start(request: TuningRequest, context: Context): Promise<string> {
    const { key, baseModel, method, training, validation, hyperparameters } = request;
    const files = { training_file: await this.#upload(training, context) };
    const { epochs, learningRateMultiplier, beta } = hyperparameters;
    const settings = {
      hyperparameters: {
        ...(epochs !== undefined && { n_epochs: epochs }),
        ...(learningRateMultiplier !== undefined && { learning_rate_multiplier: learningRateMultiplier }),
        ...(method === 'preference' && beta !== undefined && { beta }),
      },
    };
    const job = await this.#http.post(
      '/fine_tuning/jobs',
      {
        model: baseModel,
        ...files,
        ...(validation && { validation_file: await this.#upload(validation, context) }),
        suffix: suffixOf(key),
        metadata: { pilothouse_job: key },
        method: method === 'preference' ? { type: 'dpo', dpo: settings } : { type: 'supervised', supervised: settings },
      },
      context,
    );
    return this.#http.requireId(job);
  }

  async read(id: string, context: Context): Promise<TuningState | null> {
    const job = await this.#http.find(path(id), context);
    if (!job) return null;
    const events = objectsOf(
      (await this.#http.get(`${path(id)}/events?limit=${PAGE_SIZE}`, context)).data,
    ).toReversed();
    const providerStatus = textOf(job.status) ?? 'unknown';
    const status = statuses[providerStatus] ?? 'running';
    const points = events.flatMap(({ data }) => (isObject(data) ? (lossPointOf(data) ?? []) : []));
    return {
      status,
      providerStatus,
      model: textOf(job.fine_tuned_model),
      error: isObject(job.error) ? textOf(job.error.message) : null,
      trainedTokens: numberOf(job.trained_tokens),
      progress: null,
      loss: [...points, ...(status === 'succeeded' ? await this.#resultFile(job, context) : [])],
      messages: messagesOf(events),
    };
  }

  async cancel(id: string, context: Context): Promise<void> {
    const job = await this.#http.find(path(id), context);
    const status = statuses[textOf(job?.status) ?? ''];
    if (status === 'queued' || status === 'running') await this.#http.post(`${path(id)}/cancel`, {}, context);
  }

  /** Loss curve of the result file. Some services have none, so its absence is not an error. */
  async #resultFile({ result_files: files }: TunerJson, context: Context): Promise<LossPoint[]> {
    const id = Array.isArray(files) ? textOf(files[0]) : null;
    if (id === null) return [];
    try {
      return lossOfCsv(await this.#http.text(`/files/${encodeURIComponent(id)}/content`, context));
    } catch (error) {
      if (error instanceof ModelCallError) return [];
      throw error;
    }
  }

  async #upload(file: TuningRequest['training'], context: Context): Promise<string> {
    return this.#http.requireId(await this.#http.upload('/files', file, { purpose: 'fine-tune' }, context));
  }
}

const hasKey = (job: TunerJson, key: string): boolean =>
  (isObject(job.metadata) && job.metadata.pilothouse_job === key) ||
  job.suffix === suffixOf(key) ||
  job.user_provided_suffix === suffixOf(key);
