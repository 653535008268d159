import { ApiError, GoogleGenAI, JobState, TuningMethod, type AdapterSize, type TuningJob } from '@google/genai';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Context } from '@pilothouse/core/ports/runtime.port';
import type { Tuner, TuningFile, TuningRequest, TuningState } from '@pilothouse/core/ports/tuner.port';
import { callSignal } from '@pilothouse/core/time/deadlines';
import { vertexOptions } from '../gemini/vertex-auth.ts';
import type { Vertex } from '../model-endpoint.ts';
import { ModelCallError } from '../provider-errors.ts';

/* Supervised and preference tuning of Gemini models on Vertex AI. The examples are read from a bucket of Cloud Storage. */

const statuses: Readonly<Partial<Record<JobState, TuningState['status']>>> = {
  [JobState.JOB_STATE_QUEUED]: 'queued',
  [JobState.JOB_STATE_PENDING]: 'queued',
  [JobState.JOB_STATE_RUNNING]: 'running',
  [JobState.JOB_STATE_UPDATING]: 'running',
  [JobState.JOB_STATE_PAUSED]: 'running',
  [JobState.JOB_STATE_CANCELLING]: 'running',
  [JobState.JOB_STATE_SUCCEEDED]: 'succeeded',
  [JobState.JOB_STATE_PARTIALLY_SUCCEEDED]: 'succeeded',
  [JobState.JOB_STATE_FAILED]: 'failed',
  [JobState.JOB_STATE_EXPIRED]: 'failed',
  [JobState.JOB_STATE_CANCELLED]: 'cancelled',
};

/** Label by which a job is found again. */
const KEY_LABEL = 'pilothouse_job';

/** Jobs of a page, and jobs that are searched. */
const PAGE_SIZE = 100;
const MAX_JOBS = 2_000;

/** Timeout of a request, in milliseconds. */
const TIMEOUT_MS = 30_000;

const adapterSizes: Readonly<Record<number, string>> = {
  1: 'ADAPTER_SIZE_ONE',
  2: 'ADAPTER_SIZE_TWO',
  4: 'ADAPTER_SIZE_FOUR',
  8: 'ADAPTER_SIZE_EIGHT',
  16: 'ADAPTER_SIZE_SIXTEEN',
  32: 'ADAPTER_SIZE_THIRTY_TWO',
};

/** Tunes models on Vertex AI. */
export class VertexTuner implements Tuner {
  readonly #client: () => Promise<GoogleGenAI>;

  /** @param baseUrl of the API (default: that of the location) */
  constructor(vertex: Vertex, baseUrl?: string) {
    let client: Promise<GoogleGenAI> | undefined;
    this.#client = () =>
      (client ??= vertexOptions(vertex).then(
        (options) =>
          new GoogleGenAI({
            ...options,
            httpOptions: { fetch, ...(baseUrl !== undefined && { baseUrl }) },
          }),
      ));
  }

  find(key: string, context: Context): Promise<string | null> {
    return this.#call(context, async (client, abortSignal) => {
      const jobs = await client.tunings.list({ config: { pageSize: PAGE_SIZE, abortSignal } });
      let count = 0;
      for await (const { name, labels } of jobs) {
        if (labels?.[KEY_LABEL] === key) return name ?? null;
        count += 1;
        if (count >= MAX_JOBS) break;
      }
      return null;
    });
  }

  start(request: TuningRequest, context: Context): Promise<string> {
    const { key, baseModel, displayName, method, training, validation, hyperparameters } = request;
    const { epochs, learningRateMultiplier, adapterSize, beta } = hyperparameters;
    const size = adapterSize === undefined ? undefined : adapterSizes[adapterSize];
    if (adapterSize !== undefined && size === undefined)
      throw new PilothouseError(
        'VALIDATION_FAILED',
        `Vertex AI has no adapter size ${adapterSize}. Use one of ${Object.keys(adapterSizes).join(', ')}.`,
      );
    const trainingUri = bucketUri(training);
    const validationUri = validation && bucketUri(validation);
    return this.#call(context, async (client, abortSignal) => {
      const job = await client.tunings.tune({
        baseModel,
        trainingDataset: { gcsUri: trainingUri },
        config: {
          method: method === 'preference' ? TuningMethod.PREFERENCE_TUNING : TuningMethod.SUPERVISED_FINE_TUNING,
          ...(validationUri && { validationDataset: { gcsUri: validationUri } }),
          tunedModelDisplayName: displayName.slice(0, 128),
          labels: { [KEY_LABEL]: key },
          ...(epochs !== undefined && { epochCount: epochs }),
          ...(learningRateMultiplier !== undefined && { learningRateMultiplier }),
          ...(size !== undefined && { adapterSize: size as AdapterSize }),
          ...(method === 'preference' && beta !== undefined && { beta }),
          abortSignal,
        },
      });
      if (!job.name) throw new ModelCallError('Vertex AI', { status: 502, message: 'The answer has no id' });
      return job.name;
    });
  }

  async read(id: string, context: Context): Promise<TuningState | null> {
    try {
      const job = await this.#call(context, (client, abortSignal) =>
        client.tunings.get({ name: id, config: { abortSignal } }),
      );
      return stateOf(job);
    } catch (error) {
      if (error instanceof ModelCallError && error.status === 404) return null;
      throw error;
    }
  }

  async cancel(id: string, context: Context): Promise<void> {
    const state = await this.read(id, context);
    if (state?.status !== 'queued' && state?.status !== 'running') return;
    await this.#call(context, (client, abortSignal) => client.tunings.cancel({ name: id, config: { abortSignal } }));
  }

  async #call<Result>(
    context: Context,
    work: (client: GoogleGenAI, abortSignal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await work(await this.#client(), callSignal(context, TIMEOUT_MS));
    } catch (error) {
      context.signal.throwIfAborted();
      if (error instanceof PilothouseError) throw error;
      const status = error instanceof ApiError ? error.status : null;
      throw new ModelCallError('Vertex AI', {
        status,
        message: error instanceof Error ? error.message : String(error),
      });
    }
  }
}

function bucketUri({ uri, name }: TuningFile): string {
  if (uri?.startsWith('gs://')) return uri;
  throw new PilothouseError(
    'VALIDATION_FAILED',
    `Vertex AI reads ${name} from Cloud Storage. Copy the file to a bucket, and use its gs:// address.`,
  );
}

function stateOf(job: TuningJob): TuningState {
  const { state, tunedModel, error, tuningDataStats } = job;
  const status = (state && statuses[state]) ?? 'running';
  const tokens = tuningDataStats?.supervisedTuningDataStats?.totalBillableTokenCount;
  return {
    status,
    providerStatus: state ?? 'unknown',
    model: status === 'succeeded' ? (tunedModel?.endpoint ?? tunedModel?.model ?? null) : null,
    error: error?.message ?? null,
    trainedTokens: tokens === undefined ? null : Number(tokens),
    progress: null,
    loss: [],
    messages: messagesOf(job).map((text) => ({ at: null, text })),
  };
}

/** Vertex AI has no log: these are its facts of the dataset, the checkpoints and the experiment with the metrics. */
function messagesOf({ experiment, tuningDataStats, tunedModel }: TuningJob): string[] {
  const stats = tuningDataStats?.supervisedTuningDataStats;
  return [
    ...(stats?.tuningDatasetExampleCount === undefined
      ? []
      : [
          `Dataset: ${stats.tuningDatasetExampleCount} examples, ${stats.totalBillableTokenCount ?? '0'} billable tokens`,
        ]),
    ...(experiment === undefined ? [] : [`Metrics: ${experiment}`]),
    ...(tunedModel?.checkpoints ?? []).map(
      ({ checkpointId, epoch, step }) => `Checkpoint ${checkpointId ?? ''}: epoch ${epoch ?? '?'}, step ${step ?? '?'}`,
    ),
  ];
}
