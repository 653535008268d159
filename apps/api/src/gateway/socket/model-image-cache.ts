import type { ModelRequest, ModelRequestMessage } from '@pilothouse/contract/model/model.schema';
import type { Attempt } from '@pilothouse/contract/worker/assignment.schema';
import { imagesOf, restoreImages } from '@pilothouse/core/model/request-images';

/** Images of the last model request of each attempt on one connection. A worker sends each image once. */
export class ModelImageCache {
  private readonly imagesByAttempt = new Map<string, readonly string[]>();
  private characters = 0;

  /** Base64 characters in the cache. */
  get size(): number {
    return this.characters;
  }

  /**
   * Returns the request with all its images. Has to be called in the order in which requests arrive.
   * @throws PilothouseError PROTOCOL_INVALID when the request refers to an image that is not in the cache
   */
  restoreImages({ run, epoch }: Attempt, message: ModelRequestMessage): ModelRequest {
    const key = `${run}/${epoch}`;
    const cached = this.imagesByAttempt.get(key) ?? [];
    const request = restoreImages(message, cached);
    const images = imagesOf(request);
    this.characters += sizeOf(images) - sizeOf(cached);
    if (images.length > 0) this.imagesByAttempt.set(key, images);
    else this.imagesByAttempt.delete(key);
    return request;
  }
}

const sizeOf = (images: readonly string[]) => images.reduce((size, { length }) => size + length, 0);
