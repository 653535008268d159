import type { Role, User } from '@pilothouse/contract';
import type { PrismaClient } from '../generated/client.ts';

/** A user to be stored. */
export interface NewUser extends User {
  /** What is stored of the password; null: there is none. */
  readonly password: string | null;
}

/** Number of the lock under which it is looked whether there is a user: any, as long as nobody else has it. */
const FIRST_USER_LOCK = 7_100_001;

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
      await transaction.$executeRaw`SELECT pg_advisory_xact_lock(${FIRST_USER_LOCK}::bigint)`;
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
}
