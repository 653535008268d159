import type { Page } from '@pilothouse/contract/api/query-params';
import type { Member } from '@pilothouse/contract/project/member.schema';
import type { Role } from '@pilothouse/contract/project/project-roles';
import { Prisma, type PrismaClient } from '../generated/client.ts';
import { parseInstantCursor, toPage, decodeCursor } from '../client/cursor-pagination.ts';

interface Row {
  id: string;
  email: string;
  name: string;
  role: string;
  since: Date;
  lastSeenAt: Date | null;
}

/** Result of a change: the member, or the reason why it failed. */
export type MemberChange = Member | 'missing' | 'last-admin';

const MEMBERS = Prisma.sql`
SELECT u.id, u.email, u.name, m.role, m.created_at AS since,
  (SELECT max(s.last_seen_at) FROM user_session s WHERE s.user_id = u.id) AS "lastSeenAt"
FROM membership m JOIN user_account u ON u.id = m.user_id`;

/** Members of projects. The last admin of a project remains. */
export class MemberStore {
  constructor(private readonly prisma: PrismaClient) {}

  async list(project: string, limit: number, cursor?: string): Promise<Page<Member>> {
    const position = decodeCursor(cursor, parseInstantCursor);
    const rows = await this.prisma.$queryRaw<Row[]>`${MEMBERS}
      WHERE m.project_id = ${project}::uuid
        ${position ? Prisma.sql`AND (m.created_at, m.user_id) > (${position.instant}, ${position.id}::uuid)` : Prisma.empty}
      ORDER BY m.created_at, m.user_id LIMIT ${limit + 1}`;
    return toPage(rows, limit, viewOf, ({ since, id }) => [since.getTime(), id]);
  }

  changeRole(project: string, user: string, role: Role): Promise<MemberChange> {
    return this.keepingAnAdmin(project, user, role, async (transaction, member) => {
      await transaction.membership.update({ where: membershipKey(project, user), data: { role } });
      return { ...member, role };
    });
  }

  /** Removes a user from a project and ends the user's sessions. A user without projects is deleted. */
  remove(project: string, user: string): Promise<MemberChange> {
    return this.keepingAnAdmin(project, user, null, async (transaction, member) => {
      await transaction.membership.delete({ where: membershipKey(project, user) });
      await transaction.userSession.deleteMany({ where: { userId: user } });
      await transaction.user.deleteMany({ where: { id: user, memberships: { none: {} } } });
      return member;
    });
  }

  /** Projects of a user, with the roles. */
  async projectsOf(user: string): Promise<{ project: string; slug: string; role: Role }[]> {
    const include = { project: { select: { slug: true } } };
    const rows = await this.prisma.membership.findMany({ where: { userId: user }, include });
    return rows.map(({ projectId, project, role }) => ({ project: projectId, slug: project.slug, role: role as Role }));
  }

  /** Serialized by project, so that two admins cannot remove each other's role. */
  private keepingAnAdmin(
    project: string,
    user: string,
    becomes: Role | null,
    change: (transaction: Prisma.TransactionClient, member: Member) => Promise<Member>,
  ): Promise<MemberChange> {
    return this.prisma.$transaction(async (transaction) => {
      await transaction.$queryRaw`SELECT 1 FROM project WHERE id = ${project}::uuid FOR UPDATE`;
      const [row] = await transaction.$queryRaw<Row[]>`${MEMBERS}
        WHERE m.project_id = ${project}::uuid AND u.id = ${user}::uuid`;
      if (!row) return 'missing';
      const admin: Role = 'admin';
      const otherAdmins = { projectId: project, role: admin, userId: { not: user } };
      const isNeeded = row.role === admin && becomes !== admin;
      if (isNeeded && (await transaction.membership.count({ where: otherAdmins })) === 0) return 'last-admin';
      return change(transaction, viewOf(row));
    });
  }
}

const membershipKey = (projectId: string, userId: string) => ({ userId_projectId: { userId, projectId } });

const viewOf = ({ id, email, name, role, since, lastSeenAt }: Row): Member => ({
  user: { id, email, name },
  role: role as Role,
  since: since.toISOString(),
  lastSeenAt: lastSeenAt?.toISOString() ?? null,
});
