import type { Role } from '@pilothouse/contract/project/project-roles';
import type { User } from '@pilothouse/contract/project/user.schema';
import type { Prisma, PrismaClient } from '../generated/client.ts';
import { isUniqueViolation } from '../client/prisma-client.ts';

/** A user as identified by a provider. */
export interface ExternalIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** Verified address, in lower case. */
  readonly email: string;
  readonly name: string;
}

/** Roles by project slug; null: none. Other projects stay unchanged. */
export type RoleMapping = ReadonlyMap<string, Role | null>;

const facts = { id: true, email: true, name: true } as const;

/** Users of an identity provider. */
export class IdentityStore {
  constructor(private readonly prisma: PrismaClient) {}

  /**
   * Finds the user of an identity: the linked one, else the one with its address, else a new one. Assigns the roles, and accepts invitations
   * of the address.
   * @param id for a new user
   * @returns null when the user has no project left: the user and its sessions are deleted
   */
  async signInOrProvision(identity: ExternalIdentity, roles: RoleMapping, id: string, now: Date): Promise<User | null> {
    const enter = () =>
      this.prisma.$transaction(async (transaction) => {
        const user = (await linked(transaction, identity)) ?? (await link(transaction, identity, id));
        await grantRoles(transaction, user.id, roles);
        await useInvitations(transaction, user, roles, now);
        if ((await transaction.membership.count({ where: { userId: user.id } })) > 0) return user;
        await transaction.user.delete({ where: { id: user.id } });
        return null;
      });
    // Concurrent first sign-ins of a user: the second finds the row of the first.
    return enter().catch((error: unknown) => {
      if (isUniqueViolation(error)) return enter();
      throw error;
    });
  }
}

async function linked(
  transaction: Prisma.TransactionClient,
  { issuer, subject }: ExternalIdentity,
): Promise<User | null> {
  const identity = await transaction.userIdentity.findUnique({
    where: { issuer_subject: { issuer, subject } },
    select: { user: { select: facts } },
  });
  return identity?.user ?? null;
}

/**
 * Links an identity to the user with its address. The address was not verified before, so all other credentials of the account end:
 * its password, its sessions, its links.
 */
async function link(
  transaction: Prisma.TransactionClient,
  { issuer, subject, email, name }: ExternalIdentity,
  id: string,
): Promise<User> {
  const user = await transaction.user.upsert({
    where: { email },
    create: { id, email, name, password: null },
    update: { password: null },
    select: facts,
  });
  await transaction.userSession.deleteMany({ where: { userId: user.id } });
  await transaction.passwordReset.deleteMany({ where: { userId: user.id } });
  await transaction.userIdentity.create({ data: { issuer, subject, userId: user.id } });
  return user;
}

async function grantRoles(transaction: Prisma.TransactionClient, userId: string, roles: RoleMapping): Promise<void> {
  const projects = await transaction.project.findMany({
    where: { slug: { in: [...roles.keys()] } },
    select: { id: true, slug: true },
  });
  for (const { id: projectId, slug } of projects) {
    const role = roles.get(slug) ?? null;
    if (role === null) await transaction.membership.deleteMany({ where: { userId, projectId } });
    else await grantRole(transaction, userId, projectId, role);
  }
}

async function useInvitations(
  transaction: Prisma.TransactionClient,
  { id, email }: User,
  roles: RoleMapping,
  now: Date,
): Promise<void> {
  const invitations = await transaction.invitation.findMany({
    where: { email, expiresAt: { gt: now }, project: { slug: { notIn: [...roles.keys()] } } },
  });
  for (const { id: invitationId, projectId, role } of invitations) {
    const { count } = await transaction.invitation.deleteMany({ where: { id: invitationId } });
    if (count > 0) await grantRole(transaction, id, projectId, role as Role);
  }
}

const grantRole = (transaction: Prisma.TransactionClient, userId: string, projectId: string, role: Role) =>
  transaction.membership.upsert({
    where: { userId_projectId: { userId, projectId } },
    create: { userId, projectId, role },
    update: { role },
  });
