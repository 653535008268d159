import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { CallTier, ModelRequest, ModelRequestMessage } from '@pilothouse/contract/model/model.schema';
import { type Tier, tiers } from '@pilothouse/contract/model/tier-names';

/* An image is part of every request of a conversation but crosses the wire once. Both sides cache the images of the previous request. */

type Part = ModelRequestMessage['messages'][number]['parts'][number];

/** The images of a request, in base64 and in order. */
export const imagesOf = ({ messages }: Pick<ModelRequestMessage, 'messages'>): string[] =>
  messages.flatMap(({ parts }) => parts.flatMap((part) => ('image' in part ? [part.image.data] : [])));

/**
 * Replaces images of the previous request by their index.
 * @param previousImages images of the previous request
 */
export const dedupeImages = (request: ModelRequest, previousImages: readonly string[]): ModelRequestMessage =>
  mapParts(request, (part) => {
    const index = 'image' in part ? previousImages.indexOf(part.image.data) : -1;
    return index < 0 ? part : { sentImage: index };
  });

/**
 * Restores the images of a request.
 * @param previousImages images of the previous request
 * @throws PilothouseError PROTOCOL_INVALID for an unknown index
 */
export const restoreImages = (request: ModelRequestMessage, previousImages: readonly string[]): ModelRequest =>
  mapParts(request, (part) => {
    if (!('sentImage' in part)) return part;
    const data = previousImages[part.sentImage];
    if (data === undefined)
      throw new PilothouseError(
        'PROTOCOL_INVALID',
        `The request names image ${part.sentImage} of a request that was not received`,
      );
    return { image: { contentType: 'image/jpeg', data } };
  }) as ModelRequest;

const mapParts = (request: ModelRequestMessage, change: (part: Part) => Part): ModelRequestMessage => ({
  ...request,
  messages: request.messages.map(({ role, parts }) => ({ role, parts: parts.map(change) })),
});

/** The tier of a call: `replan` for a plan, `vision` with images, else `text`. */
export const tierOfCall = (request: Pick<ModelRequest, 'role' | 'messages'>): CallTier => {
  if (request.role === 'plan') return 'replan';
  return imagesOf(request).length > 0 ? 'vision' : 'text';
};

/** The higher of two tiers. */
export const higherTier = <AnyTier extends Tier>(first: AnyTier, second: AnyTier): AnyTier =>
  tiers.indexOf(first) > tiers.indexOf(second) ? first : second;
