import type { LossPoint, TuningMessage } from '@pilothouse/contract/learning/tuning-progress.schema';
import type { Context } from './runtime.port.ts';

/** A file of training examples. */
export interface TuningFile {
  readonly name: string;
  /** Path of the local copy. It exists without `uri` and `url`. */
  readonly path: string;
  /** Address in a bucket that the tuner reads, e.g. `gs://bucket/train.jsonl`; null: none. */
  readonly uri: string | null;
  /** Signed URL for a download. Default: none. */
  readonly url?: string;
}

/** A job to start at a tuner. */
export interface TuningRequest {
  /** Id of the job here. A tuner has at most one job with a key. */
  readonly key: string;
  readonly baseModel: string;
  /** Display name of the tuned model. */
  readonly displayName: string;
  readonly method: 'supervised' | 'preference';
  readonly training: TuningFile;
  readonly validation: TuningFile | null;
  readonly hyperparameters: TuningHyperparameters;
}

/** Settings of the tuning job. Missing ones are chosen by the tuner. */
export interface TuningHyperparameters {
  readonly epochs?: number | undefined;
  readonly learningRate?: number | undefined;
  /** Relative to the learning rate that the tuner chooses. */
  readonly learningRateMultiplier?: number | undefined;
  /** Rank of the adapter (LoRA). */
  readonly adapterSize?: number | undefined;
  /** With `preference`: strength of the preference. */
  readonly beta?: number | undefined;
}

/** State of a job at a tuner. */
export interface TuningState {
  readonly status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';
  /** Status in the words of the tuner. */
  readonly providerStatus: string;
  /** Name of the tuned model for calls at the endpoint; null: there is none yet. */
  readonly model: string | null;
  readonly error: string | null;
  readonly trainedTokens: number | null;
  /** From 0 to 1; null: unknown. */
  readonly progress: number | null;
  /** Points of the loss curve. A tuner may answer only with those since its last read. */
  readonly loss: readonly LossPoint[];
  /** Log lines of the tuner, oldest first. A tuner may answer only with the last ones. */
  readonly messages: readonly TuningMessage[];
}

/** A service that tunes models. */
export interface Tuner {
  /** Finds the job with a key: an earlier attempt may have started it without receiving the answer. @throws as `read` */
  find(key: string, context: Context): Promise<string | null>;
  /** Uploads the files and starts a job. @returns its id at the tuner @throws as `read` */
  start(request: TuningRequest, context: Context): Promise<string>;
  /**
   * Reads the state of a job.
   * @returns null if the tuner does not have the job
   * @throws PilothouseError MODEL_UNAVAILABLE (repeat later), MODEL_NOT_CONFIGURED, MODEL_REFUSED, TUNING_FAILED
   */
  read(id: string, context: Context): Promise<TuningState | null>;
  /** Requests the cancellation. Without effect for an ended or unknown job. @throws as `read` */
  cancel(id: string, context: Context): Promise<void>;
}
