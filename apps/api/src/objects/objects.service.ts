import { Inject } from '@nestjs/common';
import { receiveObject, serveObject, type ObjectResponse, type ObjectStorage } from '@pilothouse/infra-blob';
import { HttpResponse } from '../http/http-response.ts';
import type { HttpRequest } from '../http/route-request.ts';
import { OBJECTS } from '../common/injection-tokens.ts';

const toHttpResponse = ({ status, body, headers }: ObjectResponse) =>
  new HttpResponse<undefined>(status, body, headers);

/** Serves objects behind signed URLs to clients and workers that cannot reach the object store. */
export class ObjectsService {
  constructor(
    @Inject(OBJECTS) private readonly objects: Pick<ObjectStorage, 'store' | 'apiTransfers' | 'resourcePolicy'>,
  ) {}

  async serve(request: HttpRequest): Promise<HttpResponse<undefined>> {
    const { store, apiTransfers, resourcePolicy } = this.objects;
    return toHttpResponse(await serveObject(store, apiTransfers, request, resourcePolicy(request.origin)));
  }

  async receive(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse<undefined>> {
    const upload = { ...request, body: request.stream, signal };
    return toHttpResponse(await receiveObject(this.objects.store, this.objects.apiTransfers, upload));
  }
}
