import type { Role } from '@pilothouse/contract/project/project-roles';
import type { User } from '@pilothouse/contract/project/user.schema';
import { advisoryLocks } from '../client/leadership.ts';
import type { PrismaClient } from '../generated/client.ts';

/** A user to store. */
export interface NewUser extends User {
  /** Password hash; null: none. */
  readonly password: string | null;
}

const facts = { id: true, email: true, name: true } as const;

/** Users and their roles in projects. */
export class UserStore {
  constructor(private readonly prisma: PrismaClient) {}

  async hasUsers(): Promise<boolean> {
    return (await this.prisma.user.findFirst({ select: { id: true } })) !== null;
  }

  /** Creates the first user as admin of every project. @returns false when a user exists: nothing was written */
  createFirst(user: NewUser): Promise<boolean> {
    return this.prisma.$transaction(async (transaction) => {
      await transaction.$executeRaw`SELECT pg_advisory_xact_lock(${advisoryLocks.firstUser}::bigint)`;
      if ((await transaction.user.count()) > 0) return false;
      await transaction.user.create({ data: { ...user } });
      const projects = await transaction.project.findMany({ select: { id: true } });
      const role: Role = 'admin';
      await transaction.membership.createMany({
        data: projects.map((project) => ({ userId: user.id, projectId: project.id, role })),
      });
      return true;
    });
  }

  /** The user with this address, with the password hash. @param email in lower case */
  byEmail(email: string): Promise<NewUser | null> {
    return this.prisma.user.findUnique({ where: { email }, select: { ...facts, password: true } });
  }

  /** Sets the password hash. Every other session of the user ends, and reset links become invalid. */
  async setPassword(user: string, password: string, retainedSession: string): Promise<void> {
    await this.prisma.$transaction([
      this.prisma.user.update({ where: { id: user }, data: { password } }),
      this.prisma.userSession.deleteMany({ where: { userId: user, hash: { not: retainedSession } } }),
      this.prisma.passwordReset.deleteMany({ where: { userId: user } }),
    ]);
  }

  /** Stores a link to set a new password, replacing the last one. @param hash of the token in the link */
  async saveReset(user: string, hash: string, expiresAt: Date): Promise<void> {
    const link = { hash, expiresAt };
    await this.prisma.passwordReset.upsert({
      where: { userId: user },
      create: { userId: user, ...link },
      update: link,
    });
  }

  /** User of a reset link; null when it is used or expired. */
  byReset(hash: string, now: Date): Promise<User | null> {
    return this.prisma.user.findFirst({ where: { reset: { hash, expiresAt: { gt: now } } }, select: facts });
  }

  /** Sets the password hash through such a link. @returns false when it was used concurrently: nothing was written */
  async useReset(user: string, hash: string, password: string): Promise<boolean> {
    return this.prisma.$transaction(async (transaction) => {
      const { count } = await transaction.passwordReset.deleteMany({ where: { userId: user, hash } });
      if (count === 0) return false;
      await transaction.user.update({ where: { id: user }, data: { password } });
      await transaction.userSession.deleteMany({ where: { userId: user } });
      return true;
    });
  }
}
