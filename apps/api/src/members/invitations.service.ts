import { Inject } from '@nestjs/common';
import type { Page } from '@pilothouse/contract/api/query-params';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type {
  AcceptInvitation,
  Invitation,
  InvitationCreated,
  Invite,
  InvitationDetails,
} from '@pilothouse/contract/project/member.schema';
import type { SessionView } from '@pilothouse/contract/project/user.schema';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import { InvitationStore, UserStore, type InvitationWithProject, type NewUser } from '@pilothouse/infra-db';
import { hashPassword, hashToken, verifyPassword } from '@pilothouse/infra-vault';
import { requireSameOrigin } from '../auth/session-cookie.ts';
import type { HttpResponse } from '../http/http-response.ts';
import type { Caller, HttpRequest } from '../http/route-request.ts';
import { validationError } from '../http/request-validation.ts';
import { newId } from '../common/new-id.ts';
import { SessionService } from '../auth/session.service.ts';
import { SignInLimiter } from '../auth/sign-in-limiter.ts';
import { CLOCK } from '../common/injection-tokens.ts';
import { OneTimeLinks } from './one-time-links.ts';
import { checkPassword } from '../auth/password-rules.ts';

/** Invitations of people to a project. */
export class InvitationsService {
  constructor(
    @Inject(InvitationStore) private readonly invitations: InvitationStore,
    @Inject(UserStore) private readonly users: Pick<UserStore, 'byEmail'>,
    @Inject(OneTimeLinks) private readonly links: OneTimeLinks,
    @Inject(SessionService) private readonly sessions: SessionService,
    @Inject(SignInLimiter) private readonly limiter: SignInLimiter,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws PilothouseError CONFLICT if the address belongs to a member */
  async create(caller: Caller, invite: Invite, request: HttpRequest): Promise<InvitationCreated> {
    const { email, role, expiresIn } = invite;
    const { url, hash } = this.links.create('invitation', request);
    const createdAt = this.clock.now();
    const expiresAt = new Date(createdAt.getTime() + expiresIn * 1000);
    const invitation = { id: newId(), project: caller.project.id, email, role, hash, invitedBy: caller.name };
    const created = await this.invitations.create({ ...invitation, createdAt, expiresAt });
    if (!created) throw new PilothouseError('CONFLICT', `${email} is already a member`);
    return { ...created, url };
  }

  list({ project }: Caller, limit: number, cursor?: string): Promise<Page<Invitation>> {
    return this.invitations.list(project.id, limit, cursor);
  }

  async revoke({ project }: Caller, id: string): Promise<Invitation> {
    const revoked = await this.invitations.revoke(project.id, id);
    if (!revoked) throw new PilothouseError('NOT_FOUND', `Invitation ${id} not found.`);
    return revoked;
  }

  async lookup(token: string): Promise<InvitationDetails> {
    const { email, role, project, expiresAt } = await this.find(token);
    const hasAccount = (await this.users.byEmail(email)) !== null;
    return { email, role, project: { slug: project.slug, name: project.name }, expiresAt, hasAccount };
  }

  /** @throws PilothouseError UNAUTHENTICATED if the address has an account and the password is wrong */
  async accept({ token, name, password }: AcceptInvitation, request: HttpRequest): Promise<HttpResponse<SessionView>> {
    requireSameOrigin(request.headers, request.origin);
    const { email } = await this.find(token);
    await this.limiter.checkAttempt(request.address, email);
    const account = await this.users.byEmail(email);
    if (account && !(await verifyPassword(password, account.password))) {
      throw new PilothouseError('UNAUTHENTICATED', `${email} has an account, and the password is incorrect`);
    }
    const user = account ?? (await newUser(email, name, password));
    const result = await this.invitations.accept(hashToken(token), account ? account.id : user);
    if (result === 'used') throw invalidLink();
    if (result === 'known') {
      throw new PilothouseError('CONFLICT', `${email} got an account meanwhile. Try again with its password.`);
    }
    await this.limiter.reset(request.address, email);
    return this.sessions.signIn(user, request, 201);
  }

  private async find(token: string): Promise<InvitationWithProject> {
    const invitation = await this.invitations.find(hashToken(token), this.clock.now());
    if (!invitation) throw invalidLink();
    return invitation;
  }
}

/** Creates the account of a new user. @throws PilothouseError VALIDATION_FAILED */
async function newUser(email: string, name: string | undefined, password: string): Promise<NewUser> {
  if (name === undefined) throw validationError('body', [{ pointer: '/name', detail: 'Enter your name.' }]);
  checkPassword(password, email);
  return { id: newId(), email, name, password: await hashPassword(password) };
}

const invalidLink = () =>
  new PilothouseError('NOT_FOUND', 'Invitation link is used, revoked or expired. Ask for a new one.');
