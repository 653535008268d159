import { Inject } from '@nestjs/common';
import { PilothouseError, type Member, type Page, type ResetLink, type Role } from '@pilothouse/contract';
import type { Clock } from '@pilothouse/core';
import { MemberStore, UserStore, type MemberChange } from '@pilothouse/infra-db';
import type { Caller, HttpRequest } from '../http/route-request.ts';
import { CLOCK } from '../common/injection-tokens.ts';
import { OneTimeLinks } from './one-time-links.ts';

/** Milliseconds that a link to set a new password is good for: a day. */
const RESET_MS = 86_400_000;

/** Who may do what in a project. */
export class MembersService {
  constructor(
    @Inject(MemberStore) private readonly members: MemberStore,
    @Inject(UserStore) private readonly users: Pick<UserStore, 'keepReset'>,
    @Inject(OneTimeLinks) private readonly links: OneTimeLinks,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  list({ project }: Caller, limit: number, cursor?: string): Promise<Page<Member>> {
    return this.members.list(project.id, limit, cursor);
  }

  async change({ project }: Caller, user: string, role: Role): Promise<Member> {
    return changed(await this.members.changeRole(project.id, user, role), user);
  }

  async remove({ project }: Caller, user: string): Promise<Member> {
    return changed(await this.members.remove(project.id, user), user);
  }

  /** The role of a member in the project of the caller; undefined: there is no such member. */
  async roleOf({ project }: Caller, user: string): Promise<Role | undefined> {
    return (await this.members.projectsOf(user)).find((membership) => membership.project === project.id)?.role;
  }

  /** @throws PilothouseError FORBIDDEN when the user is member of a project that is not the caller's to manage */
  async resetPassword(caller: Caller, user: string, request: HttpRequest): Promise<ResetLink> {
    const memberships = await this.members.projectsOf(user);
    if (!memberships.some(({ project }) => project === caller.project.id)) throw missing(user);
    const managed = await this.managedBy(caller);
    if (!memberships.every(({ project }) => managed.has(project))) {
      throw new PilothouseError(
        'FORBIDDEN',
        'The user is member of projects that you are not admin of, and the link would open them too: ask an admin of them all',
      );
    }
    const { url, hash } = this.links.create('reset-password', request);
    const expiresAt = new Date(this.clock.now().getTime() + RESET_MS);
    await this.users.keepReset(user, hash, expiresAt);
    return { url, expiresAt: expiresAt.toISOString() };
  }

  /** Projects whose members the caller manages: a key those of its own, a user wherever an admin. */
  private async managedBy({ user, project }: Caller): Promise<Set<string>> {
    if (!user) return new Set([project.id]);
    const memberships = await this.members.projectsOf(user.id);
    return new Set(memberships.flatMap(({ project: own, role }) => (role === 'admin' ? [own] : [])));
  }
}

function changed(change: MemberChange, user: string): Member {
  if (change === 'missing') throw missing(user);
  if (change === 'last-admin') {
    throw new PilothouseError('CONFLICT', 'This is the last admin of the project: make somebody else admin first');
  }
  return change;
}

const missing = (user: string) => new PilothouseError('NOT_FOUND', `There is no member ${user}`);
