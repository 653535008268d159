import type { BlobStore, SignedTransfers } from '@pilothouse/core/ports/blob-store.port';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import { createFolderStore } from './folder/folder.store.ts';
import { createApiTransfers, type ApiTransfers } from './signed-url/api-transfers.ts';
import type { ResourcePolicy } from './signed-url/object-http.ts';
import { S3Bucket } from './s3/s3-bucket.ts';
import type { S3Config } from './s3/s3-call.ts';
import { S3Store } from './s3/s3.store.ts';
import { createS3Transfers } from './s3/s3-transfers.ts';

/** A folder, or a bucket of an S3 server. */
export type ObjectStoreLocation =
  { readonly kind: 'folder'; readonly dir: string } | ({ readonly kind: 's3' } & S3Config);

/** Location of the objects, and the addresses by which workers and clients reach them. */
export interface ObjectStorageConfig {
  readonly store: ObjectStoreLocation;
  /** S3 endpoint for workers. Undefined: links of workers point at the API. */
  readonly workerEndpoint?: string;
  /**
   * Endpoint from which clients fetch objects: the S3 store, or with a folder a second address of the API. Undefined:
   * links of clients point at `apiBaseUrl`.
   */
  readonly publicEndpoint?: string;
  /** API address for clients. */
  readonly apiBaseUrl: string;
  /** API address for workers, when it differs. */
  readonly workerApiBaseUrl?: string;
  /** Key that signs links to the API. */
  readonly signingSecret: Buffer;
}

/** The object store and its transfers for workers and clients. */
export interface ObjectStorage {
  readonly store: BlobStore;
  readonly workerTransfers: SignedTransfers;
  readonly clientTransfers: SignedTransfers;
  /** Verifies links to the API, of workers and clients. */
  readonly apiTransfers: ApiTransfers;
  /**
   * Returns the embedding policy of an object that the API serves.
   * @param origin origin of the request
   */
  resourcePolicy(origin: string): ResourcePolicy;
}

/**
 * Creates the store. Sends no request to an S3 server; `store.check()` does, and creates a missing bucket.
 * @throws PilothouseError UNAVAILABLE when the folder or the endpoint cannot be used
 */
export async function createObjectStorage(config: ObjectStorageConfig, clock: Clock): Promise<ObjectStorage> {
  const { store, apiBaseUrl, workerApiBaseUrl = apiBaseUrl, signingSecret: secret } = config;
  const fromApi = createApiTransfers({ secret, baseUrl: apiBaseUrl, clock });
  const forWorkers = createApiTransfers({ secret, baseUrl: workerApiBaseUrl, clock });
  if (store.kind === 'folder') {
    const { publicEndpoint } = config;
    return {
      store: await createFolderStore(store.dir, clock),
      workerTransfers: forWorkers,
      clientTransfers: createApiTransfers({ secret, baseUrl: publicEndpoint ?? apiBaseUrl, clock }),
      apiTransfers: fromApi,
      resourcePolicy: (origin) => (isHostOf(publicEndpoint, origin) ? 'cross-origin' : 'same-origin'),
    };
  }
  const bucket = new S3Bucket(store);
  const s3Transfers = (endpoint: string | undefined, fallback: SignedTransfers) =>
    endpoint === undefined ? fallback : createS3Transfers({ bucket, endpoint, clock });
  return {
    store: new S3Store(bucket),
    workerTransfers: s3Transfers(config.workerEndpoint, forWorkers),
    clientTransfers: s3Transfers(config.publicEndpoint, fromApi),
    apiTransfers: fromApi,
    resourcePolicy: () => 'same-origin',
  };
}

/**
 * Creates the store alone, for a process that hands out no links.
 * @throws as `createObjectStorage`
 */
export async function createObjectStore(location: ObjectStoreLocation, clock: Clock): Promise<BlobStore> {
  return location.kind === 'folder' ? createFolderStore(location.dir, clock) : new S3Store(new S3Bucket(location));
}

/** Compares hosts only: a proxy may terminate TLS. */
const isHostOf = (endpoint: string | undefined, origin: string) =>
  endpoint !== undefined && URL.canParse(origin) && new URL(endpoint).host === new URL(origin).host;
