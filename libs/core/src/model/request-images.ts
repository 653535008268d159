import { type ModelRequest, type ModelRequestMessage, PilothouseError } from '@pilothouse/contract';

/* An image of a conversation with a model is in each of its requests, and goes over the wire once: both sides keep those of the request before. */

type Part = ModelRequestMessage['messages'][number]['parts'][number];

/** The images of a request, in base64 and in order. */
export const imagesOf = ({ messages }: Pick<ModelRequestMessage, 'messages'>): string[] =>
  messages.flatMap(({ parts }) => parts.flatMap((part) => ('image' in part ? [part.image.data] : [])));

/** A request without the images that the other side has. @param kept images of the request before */
export const dedupeImages = (request: ModelRequest, kept: readonly string[]): ModelRequestMessage =>
  eachPart(request, (part) => {
    const at = 'image' in part ? kept.indexOf(part.image.data) : -1;
    return at < 0 ? part : { kept: at };
  });

/**
 * The whole request again.
 * @param kept images of the request before
 * @throws PilothouseError PROTOCOL_INVALID when it names one that is not among them
 */
export const restoreImages = (request: ModelRequestMessage, kept: readonly string[]): ModelRequest =>
  eachPart(request, (part) => {
    if (!('kept' in part)) return part;
    const data = kept[part.kept];
    if (data === undefined)
      throw new PilothouseError('PROTOCOL_INVALID', `The request names image ${part.kept} of one that did not come`);
    return { image: { contentType: 'image/jpeg', data } };
  }) as ModelRequest;

const eachPart = (request: ModelRequestMessage, change: (part: Part) => Part): ModelRequestMessage => ({
  ...request,
  messages: request.messages.map(({ role, parts }) => ({ role, parts: parts.map(change) })),
});

/** Which rung of the ladder a call is of: 3 where another way is planned, 2 where pictures are looked at, 1 where the text suffices. */
export const tierOfCall = (request: Pick<ModelRequest, 'role' | 'messages'>): 1 | 2 | 3 => {
  if (request.role === 'plan') return 3;
  return imagesOf(request).length > 0 ? 2 : 1;
};
