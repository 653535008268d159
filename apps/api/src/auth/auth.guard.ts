import { Inject, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { PilothouseError } from '@pilothouse/contract';
import type { FastifyRequest } from 'fastify';
import { routeOfHandler } from '../http/route.decorator.ts';
import { Callers } from './caller.ts';

/** Stands before every handler: only a route that the table calls public opens without a key or a session. */
export class AuthGuard implements CanActivate {
  constructor(@Inject(Callers) private readonly callers: Pick<Callers, 'of'>) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const route = routeOfHandler(context);
    if (!route) throw new PilothouseError('INTERNAL', 'This handler is not of the table of routes');
    if (route.role === 'public') return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    request.caller = await this.callers.of(request, route);
    return true;
  }
}
