import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract';
import type { Call } from '../http/call.ts';
import { Route } from '../http/route.ts';
import { ObjectsService } from './objects.service.ts';

@Controller()
export class ObjectsController {
  constructor(@Inject(ObjectsService) private readonly objects: ObjectsService) {}

  @Route(routes.readObject)
  read({ request }: Call<typeof routes.readObject>) {
    return this.objects.serve(request);
  }

  @Route(routes.headObject)
  head({ request }: Call<typeof routes.headObject>) {
    return this.objects.serve(request);
  }

  @Route(routes.writeObject)
  write({ request, signal }: Call<typeof routes.writeObject>) {
    return this.objects.receive(request, signal);
  }
}
