import { type Attempt, type ModelRequest, type ModelRequestMessage } from '@pilothouse/contract';
import { imagesOf, restoreImages } from '@pilothouse/core';

/** The images of the last request of each attempt on one socket: its worker sends each once. */
export class ModelImageCache {
  private readonly of = new Map<string, readonly string[]>();
  private characters = 0;

  /** Characters of base64 that are kept. */
  get size(): number {
    return this.characters;
  }

  /**
   * The request with all its images. Called in the order in which requests came.
   * @throws PilothouseError PROTOCOL_INVALID when it names an image that did not come
   */
  restoreImages({ run, epoch }: Attempt, request: ModelRequestMessage): ModelRequest {
    const key = `${run}/${epoch}`;
    const before = this.of.get(key) ?? [];
    const whole = restoreImages(request, before);
    const images = imagesOf(whole);
    this.characters += sizeOf(images) - sizeOf(before);
    if (images.length > 0) this.of.set(key, images);
    else this.of.delete(key);
    return whole;
  }
}

const sizeOf = (images: readonly string[]) => images.reduce((size, { length }) => size + length, 0);
