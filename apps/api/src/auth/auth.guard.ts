import { Inject, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { includesRole, PilothouseError } from '@pilothouse/contract';
import { KeyStore } from '@pilothouse/infra-db';
import { hashToken } from '@pilothouse/infra-vault';
import type { FastifyRequest } from 'fastify';
import { rememberCaller } from '../http/call.ts';
import { routeOf } from '../http/route.ts';

/** No key is longer; what is, is not worth hashing. */
const MAX_KEY = 200;

/** Stands before every handler: only a route that the table calls public opens without a key. */
export class AuthGuard implements CanActivate {
  constructor(@Inject(KeyStore) private readonly keys: Pick<KeyStore, 'use'>) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const route = routeOf(context);
    if (!route) throw new PilothouseError('INTERNAL', 'This handler is not of the table of routes');
    if (route.role === 'public') return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const given = keyOf(request.headers.authorization, route.basic ?? false);
    if (given === null) {
      throw new PilothouseError('UNAUTHENTICATED', 'Send an API key as `Authorization: Bearer ph_...`');
    }
    const caller = given.length <= MAX_KEY ? await this.keys.use(hashToken(given)) : null;
    if (!caller) {
      throw new PilothouseError('UNAUTHENTICATED', 'The API key is not known, has expired, or was revoked');
    }
    if (!includesRole(caller.key.role, route.role)) {
      throw new PilothouseError(
        'FORBIDDEN',
        `This needs a key with the role ${route.role}; the key "${caller.key.name}" has the role ${caller.key.role}`,
      );
    }
    rememberCaller(request, caller);
    return true;
  }
}

/** The key of an Authorization header; null when there is none of a kind that is accepted here. */
export function keyOf(header: string | undefined, basic: boolean): string | null {
  const [, scheme = '', value = ''] = /^(\w+) +(\S+)$/.exec(header?.trim() ?? '') ?? [];
  if (scheme.toLowerCase() === 'bearer') return value;
  if (!basic || scheme.toLowerCase() !== 'basic') return null;
  const pair = Buffer.from(value, 'base64').toString('utf8');
  return pair.slice(pair.indexOf(':') + 1) || null;
}
