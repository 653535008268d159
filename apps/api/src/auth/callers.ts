import { Inject } from '@nestjs/common';
import { includesRole, PilothouseError, type RouteDefinition } from '@pilothouse/contract';
import { KeyStore } from '@pilothouse/infra-db';
import { hashToken } from '@pilothouse/infra-vault';
import type { FastifyRequest } from 'fastify';
import type { Caller, SignedIn } from '../http/call.ts';
import { originOf } from '../http/origin.ts';
import { Sessions } from './sessions.ts';
import { refuseForged } from './forgery.ts';
import { readCookie } from './session.cookie.ts';

/** No key is longer; what is, is not worth hashing. */
const MAX_KEY = 200;

/** Errors that say that a request has no right, or no longer. */
const REFUSALS: ReadonlySet<string> = new Set(['UNAUTHENTICATED', 'FORBIDDEN', 'NOT_FOUND', 'VALIDATION_FAILED']);

/** Finds who makes a request, by its key or session. */
export class Callers {
  constructor(
    @Inject(KeyStore) private readonly keys: Pick<KeyStore, 'use'>,
    @Inject(Sessions) private readonly sessions: Pick<Sessions, 'use'>,
  ) {}

  /**
   * Whether the request may still be made: the key is good, the session goes on, the role suffices.
   * @param project id of the project that it was made in; null: in none
   * @returns the refusal; null when it may, and when the database cannot tell
   */
  async refusalOf(request: FastifyRequest, route: RouteDefinition, project: string | null): Promise<Error | null> {
    try {
      const caller = await this.of(request, route);
      const isSame = project === null || ('project' in caller && caller.project.id === project);
      return isSame ? null : new PilothouseError('FORBIDDEN', 'The project is no longer open to you');
    } catch (thrown) {
      return thrown instanceof PilothouseError && REFUSALS.has(thrown.code) ? thrown : null;
    }
  }

  /** @throws PilothouseError UNAUTHENTICATED, FORBIDDEN, NOT_FOUND, VALIDATION_FAILED */
  async of(request: FastifyRequest, { role, basic = false }: RouteDefinition): Promise<Caller | SignedIn> {
    const { authorization } = request.headers;
    if (role === 'user') {
      // A program with a key that is good learns where it belongs; one without learns nothing.
      if (authorization !== undefined && readCookie(request.headers.cookie, originOf(request)) === null) {
        const { key } = await this.keyOf(authorization, basic);
        throw new PilothouseError(
          'FORBIDDEN',
          `This is for users who are signed in; GET /v1/me says what the key "${key?.name ?? ''}" may do`,
        );
      }
      return this.signedIn(request);
    }
    const caller =
      authorization === undefined && readCookie(request.headers.cookie, originOf(request)) !== null
        ? memberOf(await this.signedIn(request), request.headers['pilothouse-project'])
        : await this.keyOf(authorization, basic);
    if (role !== 'public' && includesRole(caller.role, role)) return caller;
    throw new PilothouseError(
      'FORBIDDEN',
      `This needs the role ${role}; ${whatOf(caller)} has the role ${caller.role}`,
    );
  }

  private async keyOf(authorization: string | undefined, basic: boolean): Promise<Caller> {
    const given = keyOf(authorization, basic);
    if (given === null) {
      throw new PilothouseError('UNAUTHENTICATED', 'Send an API key as `Authorization: Bearer ph_...`, or sign in');
    }
    const found = given.length <= MAX_KEY ? await this.keys.use(hashToken(given)) : null;
    if (!found) {
      throw new PilothouseError('UNAUTHENTICATED', 'The API key is not known, has expired, or was revoked');
    }
    return { ...found, name: found.key.name, role: found.key.role, user: null };
  }

  private async signedIn(request: FastifyRequest): Promise<SignedIn> {
    const { headers, method } = request;
    const origin = originOf(request);
    const token = readCookie(headers.cookie, origin);
    const found = token !== null && token.length <= MAX_KEY ? await this.sessions.use(token) : null;
    if (token === null || !found) {
      throw new PilothouseError('UNAUTHENTICATED', 'Nobody is signed in, or the session has ended: sign in');
    }
    refuseForged(method, headers, origin, token);
    return { ...found, token };
  }
}

const whatOf = ({ key, name }: Caller) => (key ? `the key "${name}"` : name);

/**
 * A user in the project that the request names.
 * @param project header `Pilothouse-Project`; may be left out by who has one project only
 */
function memberOf({ user, projects }: SignedIn, project: string | string[] | undefined): Caller {
  const found = project === undefined ? projects[0] : projects.find(({ id }) => id === project);
  if (project === undefined && projects.length !== 1) {
    const detail = 'Give the id of one of your projects; GET /v1/session has them';
    throw new PilothouseError('VALIDATION_FAILED', `The header \`Pilothouse-Project\` is missing. ${detail}`, {
      fields: [{ pointer: 'headers/pilothouse-project', detail }],
    });
  }
  if (!found) throw new PilothouseError('NOT_FOUND', `There is no project ${String(project)} that is open to you`);
  const { role, ...facts } = found;
  return { name: user.email, role, project: facts, key: null, user };
}

/** The key of an Authorization header; null when there is none of a kind that is accepted here. */
export function keyOf(header: string | undefined, basic: boolean): string | null {
  const [, scheme = '', value = ''] = /^(\w+) +(\S+)$/.exec(header?.trim() ?? '') ?? [];
  if (scheme.toLowerCase() === 'bearer') return value;
  if (!basic || scheme.toLowerCase() !== 'basic') return null;
  const pair = Buffer.from(value, 'base64').toString('utf8');
  return pair.slice(pair.indexOf(':') + 1) || null;
}
