import { Inject } from '@nestjs/common';
import { roleIncludes, PilothouseError, type RouteDefinition } from '@pilothouse/contract';
import { ApiKeyStore } from '@pilothouse/infra-db';
import { hashToken } from '@pilothouse/infra-vault';
import type { FastifyRequest } from 'fastify';
import { type AccessCheck, type Caller, type SignedInUser, requestOrigin } from '../http/route-request.ts';
import { SessionService } from './session.service.ts';
import { readSessionCookie, requireCsrfToken } from './session-cookie.ts';

/** No key is longer; what is, is not worth hashing. */
const MAX_KEY = 200;

/** Errors that say that a request has no right, or no longer. */
const REFUSALS: ReadonlySet<string> = new Set(['UNAUTHENTICATED', 'FORBIDDEN', 'NOT_FOUND', 'VALIDATION_FAILED']);

/** Finds who makes a request, by its key or session. */
export class Callers implements AccessCheck {
  constructor(
    @Inject(ApiKeyStore) private readonly keys: Pick<ApiKeyStore, 'authenticate'>,
    @Inject(SessionService) private readonly sessions: Pick<SessionService, 'find'>,
  ) {}

  async accessError(request: FastifyRequest, route: RouteDefinition, project: string | null): Promise<Error | null> {
    try {
      const caller = await this.of(request, route);
      const isSame = project === null || ('project' in caller && caller.project.id === project);
      return isSame ? null : new PilothouseError('FORBIDDEN', 'The project is no longer open to you');
    } catch (thrown) {
      return thrown instanceof PilothouseError && REFUSALS.has(thrown.code) ? thrown : null;
    }
  }

  /** @throws PilothouseError UNAUTHENTICATED, FORBIDDEN, NOT_FOUND, VALIDATION_FAILED */
  async of(request: FastifyRequest, { role, basic = false }: RouteDefinition): Promise<Caller | SignedInUser> {
    const { authorization } = request.headers;
    if (role === 'user') {
      // A program with a key that is good learns where it belongs; one without learns nothing.
      if (authorization !== undefined && readSessionCookie(request.headers.cookie, requestOrigin(request)) === null) {
        const { key } = await this.keyOf(authorization, basic);
        throw new PilothouseError(
          'FORBIDDEN',
          `This is for users who are signed in; GET /v1/me says what the key "${key?.name ?? ''}" may do`,
        );
      }
      return this.signedIn(request);
    }
    const caller =
      authorization === undefined && readSessionCookie(request.headers.cookie, requestOrigin(request)) !== null
        ? memberOf(await this.signedIn(request), request.headers['pilothouse-project'])
        : await this.keyOf(authorization, basic);
    if (role !== 'public' && roleIncludes(caller.role, role)) return caller;
    throw new PilothouseError(
      'FORBIDDEN',
      `This needs the role ${role}; ${whatOf(caller)} has the role ${caller.role}`,
    );
  }

  private async keyOf(authorization: string | undefined, basic: boolean): Promise<Caller> {
    const given = apiKeyFromHeader(authorization, basic);
    if (given === null) {
      throw new PilothouseError('UNAUTHENTICATED', 'Send an API key as `Authorization: Bearer ph_...`, or sign in');
    }
    const found = given.length <= MAX_KEY ? await this.keys.authenticate(hashToken(given)) : null;
    if (!found) {
      throw new PilothouseError('UNAUTHENTICATED', 'The API key is not known, has expired, or was revoked');
    }
    return { ...found, name: found.key.name, role: found.key.role, user: null };
  }

  private async signedIn(request: FastifyRequest): Promise<SignedInUser> {
    const { headers, method } = request;
    const origin = requestOrigin(request);
    const token = readSessionCookie(headers.cookie, origin);
    const found = token !== null && token.length <= MAX_KEY ? await this.sessions.find(token) : null;
    if (token === null || !found) {
      throw new PilothouseError('UNAUTHENTICATED', 'Nobody is signed in, or the session has ended: sign in');
    }
    requireCsrfToken(method, headers, origin, token);
    return { ...found, token };
  }
}

const whatOf = ({ key, name }: Caller) => (key ? `the key "${name}"` : name);

/**
 * A user in the project that the request names.
 * @param project header `Pilothouse-Project`; may be left out by who has one project only
 */
function memberOf({ user, projects }: SignedInUser, project: string | string[] | undefined): Caller {
  const found = project === undefined ? projects[0] : projects.find(({ id }) => id === project);
  if (project === undefined && projects.length !== 1) {
    const detail = 'Give the id of one of your projects; GET /v1/sessions/current has them';
    throw new PilothouseError('VALIDATION_FAILED', `The header \`Pilothouse-Project\` is missing. ${detail}`, {
      fields: [{ pointer: 'headers/pilothouse-project', detail }],
    });
  }
  if (!found) throw new PilothouseError('NOT_FOUND', `There is no project ${String(project)} that is open to you`);
  const { role, ...facts } = found;
  return { name: user.email, role, project: facts, key: null, user };
}

/** The key of an Authorization header; null when there is none of a kind that is accepted here. */
export function apiKeyFromHeader(header: string | undefined, basic: boolean): string | null {
  const [, scheme = '', value = ''] = /^(\w+) +(\S+)$/.exec(header?.trim() ?? '') ?? [];
  if (scheme.toLowerCase() === 'bearer') return value;
  if (!basic || scheme.toLowerCase() !== 'basic') return null;
  const pair = Buffer.from(value, 'base64').toString('utf8');
  return pair.slice(pair.indexOf(':') + 1) || null;
}
