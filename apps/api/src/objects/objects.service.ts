import { Inject } from '@nestjs/common';
import { receiveObject, serveObject, type ObjectAnswer, type Objects } from '@pilothouse/infra-blob';
import { Answer } from '../http/answer.ts';
import type { RawRequest } from '../http/call.ts';
import { OBJECTS } from '../tokens.ts';

const answerOf = ({ status, body, headers }: ObjectAnswer) => new Answer<undefined>(status, body, headers);

/** Objects behind signed URLs, where clients and workers do not reach the store itself. */
export class ObjectsService {
  constructor(@Inject(OBJECTS) private readonly objects: Pick<Objects, 'store' | 'apiTransfers' | 'resourcePolicy'>) {}

  async serve(request: RawRequest): Promise<Answer<undefined>> {
    const { store, apiTransfers, resourcePolicy } = this.objects;
    return answerOf(await serveObject(store, apiTransfers, request, resourcePolicy(request.origin)));
  }

  async receive(request: RawRequest, signal: AbortSignal): Promise<Answer<undefined>> {
    const upload = { ...request, body: request.stream, signal };
    return answerOf(await receiveObject(this.objects.store, this.objects.apiTransfers, upload));
  }
}
