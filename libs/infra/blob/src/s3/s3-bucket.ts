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

/** Creates a client for one endpoint. Sends no request; presigning needs none. */
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
    // A retry inside the client would hide the response and lose a partly sent body. Callers retry by the code of the
    // error.
    retryOptions: { disableRetry: true },
  });
}

/** A bucket that is created on first use. */
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

  /**
   * Resolves when the bucket exists.
   * @throws PilothouseError UNAVAILABLE
   */
  ready(): Promise<void> {
    this.#ready ??= this.#prepare().catch((error: unknown) => {
      this.#ready = undefined;
      throw toS3Error(error, this.config);
    });
    return this.#ready;
  }

  /**
   * Runs one call on the bucket. Creates the bucket and repeats the call when the bucket was removed meanwhile.
   * @throws S3CallError, which the caller translates; PilothouseError UNAVAILABLE when the bucket cannot be created
   */
  async call<T>(run: (client: Client) => Promise<T>, options: CallOptions = {}): Promise<T> {
    await this.ready();
    try {
      return await callWithDeadline(() => run(this.client), options);
    } catch (error) {
      if (!isBucketMissing(error)) throw error;
      // The bucket was removed after the first use.
      this.#ready = undefined;
      await this.ready();
      return await callWithDeadline(() => run(this.client), options);
    }
  }

  async #prepare(): Promise<void> {
    try {
      // Not HEAD: its response has no body, so a wrong secret and a missing permission would look the same.
      await callWithDeadline(() => this.client.listObjectsV2Query(this.name, '', '', '', 1, ''));
    } catch (error) {
      if (!isBucketMissing(error)) {
        // A key that may only read and write objects may not list: the first object shows whether the bucket exists.
        if (error instanceof S3CallError && error.code === 'AccessDenied') return;
        throw error;
      }
      await this.#create();
    }
  }

  async #create(): Promise<void> {
    const { region = DEFAULT_REGION } = this.config;
    try {
      await callWithDeadline(() => this.client.makeBucket(this.name, region));
    } catch (error) {
      // Another process created it first.
      if (!(error instanceof S3CallError && error.code === 'BucketAlreadyOwnedByYou')) throw error;
    }
  }
}
