import { Inject } from '@nestjs/common';
import type { RouteDefinition } from '@pilothouse/contract/api/route-definition';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { roleIncludes } from '@pilothouse/contract/project/project-roles';
import { ApiKeyStore } from '@pilothouse/infra-db';
import { hashToken } from '@pilothouse/infra-vault';
import type { FastifyRequest } from 'fastify';
import { type AccessCheck, type Caller, type SignedInUser, requestOrigin } from '../http/route-request.ts';
import { SessionService } from './session.service.ts';
import { readSessionCookie, requireCsrfToken } from './session-cookie.ts';

/** Maximum characters of a key. Longer tokens are rejected without hashing. */
const MAX_TOKEN_CHARS = 200;

/** Errors that mean that a caller has no access, or lost it. */
const ACCESS_ERRORS: ReadonlySet<string> = new Set(['UNAUTHENTICATED', 'FORBIDDEN', 'NOT_FOUND', 'VALIDATION_FAILED']);

/** Finds the caller of a request by its API key or session. */
export class Callers implements AccessCheck {
  constructor(
    @Inject(ApiKeyStore) private readonly keys: Pick<ApiKeyStore, 'authenticate'>,
    @Inject(SessionService) private readonly sessions: Pick<SessionService, 'find'>,
  ) {}

  async accessError(request: FastifyRequest, route: RouteDefinition, project: string | null): Promise<Error | null> {
    try {
      const caller = await this.authenticate(request, route);
      const isSameProject = project === null || ('project' in caller && caller.project.id === project);
      return isSameProject ? null : new PilothouseError('FORBIDDEN', 'You no longer have access to this project');
    } catch (error) {
      return error instanceof PilothouseError && ACCESS_ERRORS.has(error.code) ? error : null;
    }
  }

  /** @throws PilothouseError UNAUTHENTICATED, FORBIDDEN, NOT_FOUND, VALIDATION_FAILED */
  async authenticate(
    request: FastifyRequest,
    { role, basic = false }: RouteDefinition,
  ): Promise<Caller | SignedInUser> {
    const { authorization } = request.headers;
    if (role === 'user') {
      // Only a client with a valid key gets the hint.
      if (authorization !== undefined && readSessionCookie(request.headers.cookie, requestOrigin(request)) === null) {
        const { key } = await this.callerOfKey(authorization, basic);
        throw new PilothouseError(
          'FORBIDDEN',
          `Only signed-in users can do this. GET /v1/me shows the permissions of the API key "${key?.name ?? ''}".`,
        );
      }
      return this.readSession(request);
    }
    const caller =
      authorization === undefined && readSessionCookie(request.headers.cookie, requestOrigin(request)) !== null
        ? callerInProject(await this.readSession(request), request.headers['pilothouse-project'])
        : await this.callerOfKey(authorization, basic);
    if (role !== 'public' && roleIncludes(caller.role, role)) return caller;
    throw new PilothouseError(
      'FORBIDDEN',
      `This requires the role ${role}; ${describeCaller(caller)} has the role ${caller.role}`,
    );
  }

  private async callerOfKey(authorization: string | undefined, basic: boolean): Promise<Caller> {
    const apiKey = apiKeyFromHeader(authorization, basic);
    if (apiKey === null) {
      throw new PilothouseError('UNAUTHENTICATED', 'Send an API key as `Authorization: Bearer ph_...`, or sign in');
    }
    const authenticated = apiKey.length <= MAX_TOKEN_CHARS ? await this.keys.authenticate(hashToken(apiKey)) : null;
    if (!authenticated) {
      throw new PilothouseError('UNAUTHENTICATED', 'The API key is unknown, expired or revoked');
    }
    const { key } = authenticated;
    return { ...authenticated, name: key.name, role: key.role, user: null };
  }

  private async readSession(request: FastifyRequest): Promise<SignedInUser> {
    const { headers, method } = request;
    const origin = requestOrigin(request);
    const token = readSessionCookie(headers.cookie, origin);
    const session = token !== null && token.length <= MAX_TOKEN_CHARS ? await this.sessions.find(token) : null;
    if (token === null || !session) {
      throw new PilothouseError('UNAUTHENTICATED', 'Not signed in or session expired. Sign in.');
    }
    requireCsrfToken(method, headers, origin, token);
    return { ...session, token };
  }
}

const describeCaller = ({ key, name }: Caller) => (key ? `the key "${name}"` : name);

/**
 * Returns a user as the caller in the project that the request names.
 * @param project header `Pilothouse-Project`; optional for members of a single project
 */
function callerInProject({ user, projects }: SignedInUser, project: string | string[] | undefined): Caller {
  const membership = project === undefined ? projects[0] : projects.find(({ id }) => id === project);
  if (project === undefined && projects.length !== 1) {
    const detail = 'Send the id of one of your projects; GET /v1/sessions/current lists them.';
    throw new PilothouseError('VALIDATION_FAILED', `The header \`Pilothouse-Project\` is missing. ${detail}`, {
      fields: [{ pointer: 'headers/pilothouse-project', detail }],
    });
  }
  if (!membership) throw new PilothouseError('NOT_FOUND', `Project ${String(project)} not found.`);
  const { role, ...summary } = membership;
  return { name: user.email, role, project: summary, key: null, user };
}

/** Returns the key of an Authorization header, null if its scheme is not accepted. */
export function apiKeyFromHeader(header: string | undefined, basic: boolean): string | null {
  const [, scheme = '', value = ''] = /^(\w+) +(\S+)$/.exec(header?.trim() ?? '') ?? [];
  if (scheme.toLowerCase() === 'bearer') return value;
  if (!basic || scheme.toLowerCase() !== 'basic') return null;
  const pair = Buffer.from(value, 'base64').toString('utf8');
  return pair.slice(pair.indexOf(':') + 1) || null;
}
