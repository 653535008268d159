import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import type { RouteRequest } from '../http/route-request.ts';
import { Route } from '../http/route.decorator.ts';
import { InvitationsService } from './invitations.service.ts';
import { MembersService } from './members.service.ts';
import { PasswordsService } from './passwords.service.ts';

@Controller()
export class MembersController {
  constructor(
    @Inject(MembersService) private readonly members: MembersService,
    @Inject(InvitationsService) private readonly invitations: InvitationsService,
    @Inject(PasswordsService) private readonly passwords: PasswordsService,
  ) {}

  @Route(routes.listMembers)
  list({ caller, query }: RouteRequest<typeof routes.listMembers>) {
    return this.members.list(caller, query.limit, query.cursor);
  }

  @Route(routes.updateMember)
  async change({ caller, params, body, request }: RouteRequest<typeof routes.updateMember>) {
    const role = await this.members.roleOf(caller, params.user);
    if (role) request.audit.previous = { role };
    return this.members.change(caller, params.user, body.role);
  }

  @Route(routes.removeMember)
  remove({ caller, params }: RouteRequest<typeof routes.removeMember>) {
    return this.members.remove(caller, params.user);
  }

  @Route(routes.createPasswordReset)
  createReset({ caller, params, request }: RouteRequest<typeof routes.createPasswordReset>) {
    return this.members.resetPassword(caller, params.user, request);
  }

  @Route(routes.resetPassword)
  reset({ body, request }: RouteRequest<typeof routes.resetPassword>) {
    return this.passwords.reset(body, request);
  }

  @Route(routes.changePassword)
  changePassword({ caller, body, request }: RouteRequest<typeof routes.changePassword>) {
    return this.passwords.change(caller, body, request);
  }

  @Route(routes.createInvitation)
  invite({ caller, body, request }: RouteRequest<typeof routes.createInvitation>) {
    return this.invitations.create(caller, body, request);
  }

  @Route(routes.listInvitations)
  listInvitations({ caller, query }: RouteRequest<typeof routes.listInvitations>) {
    return this.invitations.list(caller, query.limit, query.cursor);
  }

  @Route(routes.revokeInvitation)
  revoke({ caller, params }: RouteRequest<typeof routes.revokeInvitation>) {
    return this.invitations.revoke(caller, params.invitation);
  }

  @Route(routes.lookUpInvitation)
  lookup({ body }: RouteRequest<typeof routes.lookUpInvitation>) {
    return this.invitations.lookup(body.token);
  }

  @Route(routes.acceptInvitation)
  accept({ body, request }: RouteRequest<typeof routes.acceptInvitation>) {
    return this.invitations.accept(body, request);
  }
}
