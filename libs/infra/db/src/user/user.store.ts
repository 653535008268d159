import type { Role, User } from '@pilothouse/contract';
import { advisoryLocks } from '../client/advisory-lock.ts';
import type { PrismaClient } from '../generated/client.ts';

/** A user to be stored. */
export interface NewUser extends User {
  /** What is stored of the password; null: there is none. */
  readonly password: string | null;
}

const facts = { id: true, email: true, name: true } as const;

/** Users and what they may do in which project. */
export class UserStore {
  constructor(private readonly prisma: PrismaClient) {}

  async any(): Promise<boolean> {
    return (await this.prisma.user.findFirst({ select: { id: true } })) !== null;
  }

  /** Makes the first user, admin of every project. @returns false when there is a user: nothing was written */
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

  /** The user of this address, with what is stored of the password. @param email in lower case */
  byEmail(email: string): Promise<NewUser | null> {
    return this.prisma.user.findUnique({ where: { email }, select: { ...facts, password: true } });
  }

  /** Sets what is stored of the password. Every other session of the user ends, and no link to set another is good any more. */
  async setPassword(user: string, password: string, keepSession: string): Promise<void> {
    await this.prisma.$transaction([
      this.prisma.user.update({ where: { id: user }, data: { password } }),
      this.prisma.userSession.deleteMany({ where: { userId: user, hash: { not: keepSession } } }),
      this.prisma.passwordReset.deleteMany({ where: { userId: user } }),
    ]);
  }

  /** Keeps a link to set a new password, in the place of the last. @param hash of what the link holds */
  async saveReset(user: string, hash: string, expiresAt: Date): Promise<void> {
    const link = { hash, expiresAt };
    await this.prisma.passwordReset.upsert({
      where: { userId: user },
      create: { userId: user, ...link },
      update: link,
    });
  }

  /** Whose link it is; null when it was used, or is no longer good at this time. */
  byReset(hash: string, now: Date): Promise<User | null> {
    return this.prisma.user.findFirst({ where: { reset: { hash, expiresAt: { gt: now } } }, select: facts });
  }

  /** Sets what is stored of the password by such a link. @returns false when somebody else was faster: nothing was written */
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
