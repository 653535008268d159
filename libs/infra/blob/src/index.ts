export { createObjectStorage } from './object-storage.ts';
export type { ObjectStorage, ObjectStorageConfig } from './object-storage.ts';
export { OBJECTS_PATH } from './signed-url/signed-link.ts';
export type { ApiTransfers } from './signed-url/api-transfers.ts';
export { checkContentType } from './object-key.ts';
export { serveObject, receiveObject } from './signed-url/object-http.ts';
export { SNIFFED_BYTES, sniffContentType } from './detect-content-type.ts';
export type { ObjectResponse, ObjectRequest, ObjectUpload } from './signed-url/object-http.ts';
