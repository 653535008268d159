import {
  type CallTier,
  type ModelRequest,
  type ModelRequestMessage,
  PilothouseError,
  type Tier,
  tiers,
} from '@pilothouse/contract';

/* An image is part of every request of a conversation but crosses the wire once: both sides cache the images of the previous request. */

type Part = ModelRequestMessage['messages'][number]['parts'][number];

/** The images of a request, in base64 and in order. */
export const imagesOf = ({ messages }: Pick<ModelRequestMessage, 'messages'>): string[] =>
  messages.flatMap(({ parts }) => parts.flatMap((part) => ('image' in part ? [part.image.data] : [])));

/**
 * Replaces images of the previous request by their index.
 * @param kept images of the previous request
 */
export const dedupeImages = (request: ModelRequest, kept: readonly string[]): ModelRequestMessage =>
  eachPart(request, (part) => {
    const at = 'image' in part ? kept.indexOf(part.image.data) : -1;
    return at < 0 ? part : { sentImage: at };
  });

/**
 * Restores the images of a request.
 * @param kept images of the previous request
 * @throws PilothouseError PROTOCOL_INVALID for an unknown index
 */
export const restoreImages = (request: ModelRequestMessage, kept: readonly string[]): ModelRequest =>
  eachPart(request, (part) => {
    if (!('sentImage' in part)) return part;
    const data = kept[part.sentImage];
    if (data === undefined)
      throw new PilothouseError(
        'PROTOCOL_INVALID',
        `The request names image ${part.sentImage} of one that did not come`,
      );
    return { image: { contentType: 'image/jpeg', data } };
  }) as ModelRequest;

const eachPart = (request: ModelRequestMessage, change: (part: Part) => Part): ModelRequestMessage => ({
  ...request,
  messages: request.messages.map(({ role, parts }) => ({ role, parts: parts.map(change) })),
});

/** The tier of a call: `replan` where another way is planned, `vision` where pictures are sent, else `text`. */
export const tierOfCall = (request: Pick<ModelRequest, 'role' | 'messages'>): CallTier => {
  if (request.role === 'plan') return 'replan';
  return imagesOf(request).length > 0 ? 'vision' : 'text';
};

/** The higher of two tiers. */
export const higherTier = <One extends Tier>(one: One, other: One): One =>
  tiers.indexOf(one) > tiers.indexOf(other) ? one : other;
