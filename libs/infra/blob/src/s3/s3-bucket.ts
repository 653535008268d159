import { Client } from 'minio';
import {
  type CallOptions,
  DEFAULT_REGION,
  S3CallError,
  type S3Config,
  callWithDeadline,
  createAgent,
  createTransport,
  parseEndpoint,
} from './s3-call.ts';
import { isBucketMissing, toS3Error } from './s3-errors.ts';

/** A client for one endpoint. It makes no request by itself; presigning needs none. */
export function createS3Client({ endpoint, accessKey, secretKey, region = DEFAULT_REGION }: S3Config): Client {
  const { endPoint, port, useSSL } = parseEndpoint(endpoint);
  return new Client({
    endPoint,
    port,
    useSSL,
    accessKey,
    secretKey,
    region,
    pathStyle: true,
    transport: createTransport(useSSL),
    transportAgent: createAgent(useSSL),
    // A retry inside would hide the answer and lose a body that was half sent; callers retry by the error's code.
    retryOptions: { disableRetry: true },
  });
}

/** A bucket that is made when it is first used and missing. */
export class S3Bucket {
  readonly client: Client;
  readonly name: string;
  readonly config: S3Config;
  #ready: Promise<void> | undefined;

  constructor(config: S3Config) {
    this.config = config;
    this.client = createS3Client(config);
    this.name = config.bucket;
  }

  /** Resolves when the bucket is there. @throws PilothouseError UNAVAILABLE */
  ready(): Promise<void> {
    this.#ready ??= this.#prepare().catch((error: unknown) => {
      this.#ready = undefined;
      throw toS3Error(error, this.config);
    });
    return this.#ready;
  }

  /**
   * Runs one call on the bucket; twice when the bucket was removed behind our back.
   * @throws CallFailed, for the caller to translate; PilothouseError UNAVAILABLE when there is no bucket
   */
  async call<T>(run: (client: Client) => Promise<T>, options: CallOptions = {}): Promise<T> {
    await this.ready();
    try {
      return await callWithDeadline(() => run(this.client), options);
    } catch (error) {
      if (!isBucketMissing(error)) throw error;
      // Somebody removed it since.
      this.#ready = undefined;
      await this.ready();
      return await callWithDeadline(() => run(this.client), options);
    }
  }

  async #prepare(): Promise<void> {
    try {
      // Not HEAD: its answer has no body, so a wrong secret and a missing right would look the same.
      await callWithDeadline(() => this.client.listObjectsV2Query(this.name, '', '', '', 1, ''));
    } catch (error) {
      if (!isBucketMissing(error)) {
        // A key that may only write and read objects may still not list: the first object will tell.
        if (error instanceof S3CallError && error.code === 'AccessDenied') return;
        throw error;
      }
      await this.#make();
    }
  }

  async #make(): Promise<void> {
    const { region = DEFAULT_REGION } = this.config;
    try {
      await callWithDeadline(() => this.client.makeBucket(this.name, region));
    } catch (error) {
      // Another process was first.
      if (!(error instanceof S3CallError && error.code === 'BucketAlreadyOwnedByYou')) throw error;
    }
  }
}
