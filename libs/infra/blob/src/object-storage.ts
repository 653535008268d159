import type { BlobStore, Clock, SignedTransfers } from '@pilothouse/core';
import { createFolderStore } from './folder/folder.store.ts';
import { createApiTransfers, type ApiTransfers } from './signed-url/api-transfers.ts';
import type { ResourcePolicy } from './signed-url/object-http.ts';
import { S3Bucket } from './s3/s3-bucket.ts';
import type { S3Config } from './s3/s3-call.ts';
import { S3Store } from './s3/s3.store.ts';
import { createS3Transfers } from './s3/s3-transfers.ts';

/** Where objects are, and who reaches them how. */
export interface ObjectStorageConfig {
  readonly store: { readonly kind: 'folder'; readonly dir: string } | ({ readonly kind: 's3' } & S3Config);
  /** Where workers reach the S3 store, if they do; else their links point at the API. */
  readonly workerEndpoint?: string;
  /**
   * Where clients fetch objects: the address of the S3 store, or with a folder a second address of the API. Left out: links of clients
   * point at `apiBaseUrl`.
   */
  readonly publicEndpoint?: string;
  /** Where clients reach the API. */
  readonly apiBaseUrl: string;
  /** Where workers reach the API, when that is another address. */
  readonly workerApiBaseUrl?: string;
  /** Key of the signatures of links to the API. */
  readonly signingSecret: Buffer;
}

/** The objects of the house. */
export interface ObjectStorage {
  readonly store: BlobStore;
  readonly workerTransfers: SignedTransfers;
  readonly clientTransfers: SignedTransfers;
  /** Verifies links to the API, whoever they were made for. */
  readonly apiTransfers: ApiTransfers;
  /** Which pages may embed an object that the API serves. @param origin where the object was asked for */
  resourcePolicy(origin: string): ResourcePolicy;
}

/**
 * Opens the store. Asks nothing of an S3 server yet: `store.check()` does, and makes a missing bucket.
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
  const direct = (endpoint: string | undefined, otherwise: SignedTransfers) =>
    endpoint === undefined ? otherwise : createS3Transfers({ bucket, endpoint, clock });
  return {
    store: new S3Store(bucket),
    workerTransfers: direct(config.workerEndpoint, forWorkers),
    clientTransfers: direct(config.publicEndpoint, fromApi),
    apiTransfers: fromApi,
    resourcePolicy: () => 'same-origin',
  };
}

/** Compares hosts only: a proxy may end TLS. */
const isHostOf = (endpoint: string | undefined, origin: string) =>
  endpoint !== undefined && URL.canParse(origin) && new URL(endpoint).host === new URL(origin).host;
