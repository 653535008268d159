import type { Page } from '@pilothouse/contract/api/query-params';
import type { Invitation } from '@pilothouse/contract/project/member.schema';
import type { Role } from '@pilothouse/contract/project/project-roles';
import type { Invitation as Row, PrismaClient } from '../generated/client.ts';
import { parseInstantCursor, beforeCursor, toPage, decodeCursor } from '../client/cursor-pagination.ts';
import { isUniqueViolation } from '../client/prisma-client.ts';
import type { ProjectSummary } from '../project/project.store.ts';
import type { NewUser } from './user.store.ts';

/** An invitation to store. */
export interface NewInvitation {
  readonly id: string;
  readonly project: string;
  readonly email: string;
  readonly role: Role;
  /** SHA-256 of the token in the link, hex. */
  readonly hash: string;
  readonly invitedBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export interface InvitationWithProject extends Invitation {
  readonly project: ProjectSummary;
}

/** Open invitations. */
export class InvitationStore {
  constructor(private readonly prisma: PrismaClient) {}

  /** Stores an invitation, replacing the last one of this address. @returns null when a member has this address */
  create({ project, ...invitation }: NewInvitation): Promise<Invitation | null> {
    return this.prisma.$transaction(async (transaction) => {
      const { email } = invitation;
      if (await transaction.membership.findFirst({ where: { projectId: project, user: { email } } })) return null;
      const row = await transaction.invitation.upsert({
        where: { projectId_email: { projectId: project, email } },
        create: { ...invitation, projectId: project },
        update: invitation,
      });
      return viewOf(row);
    });
  }

  async list(project: string, limit: number, cursor?: string): Promise<Page<Invitation>> {
    const position = decodeCursor(cursor, parseInstantCursor);
    const rows = await this.prisma.invitation.findMany({
      where: { projectId: project, ...(position && { AND: beforeCursor(position) }) },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: limit + 1,
    });
    return toPage(rows, limit, viewOf, ({ createdAt, id }) => [createdAt.getTime(), id]);
  }

  /** @returns the revoked invitation; null: none */
  async revoke(project: string, id: string): Promise<Invitation | null> {
    const row = await this.prisma.invitation.findFirst({ where: { id, projectId: project } });
    const { count } = await this.prisma.invitation.deleteMany({ where: { id, projectId: project } });
    return row && count > 0 ? viewOf(row) : null;
  }

  /** The invitation of a link; null when it is used, revoked or expired. */
  async find(hash: string, now: Date): Promise<InvitationWithProject | null> {
    const row = await this.prisma.invitation.findUnique({
      where: { hash, expiresAt: { gt: now } },
      include: { project: { select: { id: true, slug: true, name: true } } },
    });
    return row && { ...viewOf(row), project: row.project };
  }

  /**
   * Accepts an invitation: its guest becomes a member, once.
   * @param guest a new user, or the id of an existing one
   * @returns `used` when it was used already, `known` when a new user got an account meanwhile: nothing was written
   */
  async accept(hash: string, guest: NewUser | string): Promise<'accepted' | 'used' | 'known'> {
    try {
      return (await this.use(hash, guest)) ? 'accepted' : 'used';
    } catch (error) {
      if (isUniqueViolation(error)) return 'known';
      throw error;
    }
  }

  private use(hash: string, guest: NewUser | string): Promise<boolean> {
    return this.prisma.$transaction(async (transaction) => {
      const rows = await transaction.$queryRaw<{ project: string; role: string }[]>`
        DELETE FROM invitation WHERE hash = ${hash} RETURNING project_id::text AS project, role`;
      const [invitation] = rows;
      if (!invitation) return false;
      if (typeof guest !== 'string') await transaction.user.create({ data: { ...guest } });
      const userId = typeof guest === 'string' ? guest : guest.id;
      const { project: projectId, role } = invitation;
      await transaction.membership.upsert({
        where: { userId_projectId: { userId, projectId } },
        create: { userId, projectId, role },
        update: { role },
      });
      return true;
    });
  }
}

const viewOf = ({ id, email, role, invitedBy, createdAt, expiresAt }: Row): Invitation => ({
  id,
  email,
  role: role as Role,
  invitedBy,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
});
