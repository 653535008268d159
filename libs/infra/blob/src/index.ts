export { createObjectStorage } from './objects.ts';
export type { ObjectStorage, ObjectStorageConfig } from './objects.ts';
export { OBJECTS_PATH } from './link/object-link.ts';
export type { ApiTransfers } from './link/api.transfers.ts';
export { checkContentType } from './content-type.ts';
export { serveObject } from './link/serve.ts';
export { SNIFFED_BYTES, sniffContentType } from './sniff.ts';
export { receiveObject } from './link/receive.ts';
export type { ObjectResponse, ObjectRequest, ObjectUpload } from './link/http.ts';
