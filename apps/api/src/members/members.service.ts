import { Inject } from '@nestjs/common';
import type { Page } from '@pilothouse/contract/api/query-params';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Member, ResetLink } from '@pilothouse/contract/project/member.schema';
import type { Role } from '@pilothouse/contract/project/project-roles';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import { MemberStore, UserStore, type MemberChange } from '@pilothouse/infra-db';
import type { Caller, HttpRequest } from '../http/route-request.ts';
import { CLOCK } from '../common/injection-tokens.ts';
import { OneTimeLinks } from './one-time-links.ts';

/** Milliseconds until a password reset link expires: one day. */
const RESET_LINK_MS = 86_400_000;

/** Members of a project and their roles. */
export class MembersService {
  constructor(
    @Inject(MemberStore) private readonly members: MemberStore,
    @Inject(UserStore) private readonly users: Pick<UserStore, 'saveReset'>,
    @Inject(OneTimeLinks) private readonly links: OneTimeLinks,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  list({ project }: Caller, limit: number, cursor?: string): Promise<Page<Member>> {
    return this.members.list(project.id, limit, cursor);
  }

  async change({ project }: Caller, user: string, role: Role): Promise<Member> {
    return requireChanged(await this.members.changeRole(project.id, user, role), user);
  }

  async remove({ project }: Caller, user: string): Promise<Member> {
    return requireChanged(await this.members.remove(project.id, user), user);
  }

  /** Returns the role of a member in the project of the caller, undefined if there is no such member. */
  async roleOf({ project }: Caller, user: string): Promise<Role | undefined> {
    return (await this.members.projectsOf(user)).find((membership) => membership.project === project.id)?.role;
  }

  /** @throws PilothouseError FORBIDDEN if the user belongs to a project of which the caller is no admin */
  async resetPassword(caller: Caller, user: string, request: HttpRequest): Promise<ResetLink> {
    const memberships = await this.members.projectsOf(user);
    if (!memberships.some(({ project }) => project === caller.project.id)) throw memberNotFound(user);
    const managedProjects = await this.managedBy(caller);
    if (!memberships.every(({ project }) => managedProjects.has(project))) {
      throw new PilothouseError(
        'FORBIDDEN',
        'The user belongs to projects that you do not administer, and the link would open them too. Ask an admin of all of them.',
      );
    }
    const { url, hash } = this.links.create('reset-password', request);
    const expiresAt = new Date(this.clock.now().getTime() + RESET_LINK_MS);
    await this.users.saveReset(user, hash, expiresAt);
    return { url, expiresAt: expiresAt.toISOString() };
  }

  /**
   * Returns the projects whose members the caller manages. For a key: its project. For a user: all in which the user is
   * an admin.
   */
  private async managedBy({ user, project }: Caller): Promise<Set<string>> {
    if (!user) return new Set([project.id]);
    const memberships = await this.members.projectsOf(user.id);
    return new Set(memberships.flatMap(({ project: id, role }) => (role === 'admin' ? [id] : [])));
  }
}

/** @throws PilothouseError NOT_FOUND; CONFLICT for the last admin */
function requireChanged(change: MemberChange, user: string): Member {
  if (change === 'missing') throw memberNotFound(user);
  if (change === 'last-admin') {
    throw new PilothouseError('CONFLICT', 'This is the last admin of the project. Make another member an admin first.');
  }
  return change;
}

const memberNotFound = (user: string) => new PilothouseError('NOT_FOUND', `Member ${user} not found.`);
