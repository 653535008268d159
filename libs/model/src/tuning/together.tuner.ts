import type { Context } from '@pilothouse/core/ports/runtime.port';
import type { Tuner, TuningRequest, TuningState } from '@pilothouse/core/ports/tuner.port';
import { lossPointOf } from './loss-file.ts';
import { messagesOf, numberOf, objectsOf, suffixOf, textOf, type TunerHttp, type TunerJson } from './tuner-http.ts';

/* The fine-tuning API of Together: https://docs.together.ai/reference/post-fine-tunes */

const statuses: Readonly<Record<string, TuningState['status']>> = {
  pending: 'queued',
  queued: 'queued',
  running: 'running',
  compressing: 'running',
  uploading: 'running',
  cancel_requested: 'running',
  cancelled: 'cancelled',
  user_error: 'failed',
  error: 'failed',
  completed: 'succeeded',
};

const path = (id: string): string => `/fine-tunes/${encodeURIComponent(id)}`;

/** Tunes models at Together. */
export class TogetherTuner implements Tuner {
  readonly #http: TunerHttp;

  constructor(http: TunerHttp) {
    this.#http = http;
  }

  async find(key: string, context: Context): Promise<string | null> {
    const { data } = await this.#http.get('/fine-tunes', context);
    const suffix = suffixOf(key);
    const job = objectsOf(data).find(
      (candidate) => candidate.suffix === suffix || modelOf(candidate)?.includes(suffix) === true,
    );
    return textOf(job?.id);
  }

  async start(request: TuningRequest, context: Context): Promise<string> {
    const { key, baseModel, method, training, validation, hyperparameters } = request;
    const { epochs, learningRate, adapterSize, beta } = hyperparameters;
    const job = await this.#http.post(
      '/fine-tunes',
      {
        model: baseModel,
        training_file: await this.#upload(training, context),
        ...(validation && { validation_file: await this.#upload(validation, context), n_evals: 5 }),
        suffix: suffixOf(key),
        ...(epochs !== undefined && { n_epochs: epochs }),
        ...(learningRate !== undefined && { learning_rate: learningRate }),
        ...(adapterSize !== undefined && {
          training_type: { type: 'Lora', lora_r: adapterSize, lora_alpha: 2 * adapterSize },
        }),
        training_method:
          method === 'preference'
            ? { method: 'dpo', ...(beta !== undefined && { dpo_beta: beta }) }
            : { method: 'sft' },
      },
      context,
    );
    return this.#http.requireId(job);
  }

  async read(id: string, context: Context): Promise<TuningState | null> {
    const job = await this.#http.find(path(id), context);
    if (!job) return null;
    const events = objectsOf((await this.#http.get(`${path(id)}/events`, context)).data);
    const providerStatus = textOf(job.status) ?? 'unknown';
    const status = statuses[providerStatus] ?? 'running';
    const messages = messagesOf(events);
    return {
      status,
      providerStatus,
      model: status === 'succeeded' ? modelOf(job) : null,
      error: status === 'failed' ? (messages.at(-1)?.text ?? providerStatus) : null,
      trainedTokens: numberOf(job.token_count),
      progress: null,
      loss: events.flatMap((event) => lossPointOf(event) ?? []),
      messages,
    };
  }

  async cancel(id: string, context: Context): Promise<void> {
    const job = await this.#http.find(path(id), context);
    const status = statuses[textOf(job?.status) ?? ''];
    if (status === 'queued' || status === 'running') await this.#http.post(`${path(id)}/cancel`, {}, context);
  }

  async #upload(file: TuningRequest['training'], context: Context): Promise<string> {
    const fields = { purpose: 'fine-tune', file_name: file.name, file_type: 'jsonl' };
    return this.#http.requireId(await this.#http.upload('/files/upload', file, fields, context));
  }
}

const modelOf = (job: TunerJson): string | null => textOf(job.model_output_name) ?? textOf(job.output_name);
