import { Inject, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { FastifyRequest } from 'fastify';
import { routeOfHandler } from '../http/route.decorator.ts';
import { Callers } from './caller.ts';

/** Requires an API key or a session for every route that the table does not declare public. */
export class AuthGuard implements CanActivate {
  constructor(@Inject(Callers) private readonly callers: Pick<Callers, 'authenticate'>) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const route = routeOfHandler(context);
    if (!route) throw new PilothouseError('INTERNAL', 'This handler is not in the route table');
    if (route.role === 'public') return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    request.caller ??= await this.callers.authenticate(request, route);
    return true;
  }
}
