import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import type { RouteRequest } from '../http/route-request.ts';
import { Route } from '../http/route.decorator.ts';
import { OidcService } from './oidc/oidc.service.ts';
import { SessionService, toSessionView } from './session.service.ts';
import { SetupService } from './setup.service.ts';
import { SignInService } from './sign-in.service.ts';

@Controller()
export class SessionController {
  constructor(
    @Inject(SignInService) private readonly signIns: SignInService,
    @Inject(SessionService) private readonly sessions: SessionService,
    @Inject(OidcService) private readonly oidc: OidcService,
    @Inject(SetupService) private readonly setups: SetupService,
  ) {}

  @Route(routes.signIn)
  signIn({ body, request }: RouteRequest<typeof routes.signIn>) {
    return this.signIns.signIn(body, request);
  }

  @Route(routes.readSession)
  read({ caller }: RouteRequest<typeof routes.readSession>) {
    return toSessionView(caller);
  }

  @Route(routes.signOut)
  signOut({ caller, request }: RouteRequest<typeof routes.signOut>) {
    return this.sessions.signOut(caller, request);
  }

  @Route(routes.readAccount)
  account({ caller }: RouteRequest<typeof routes.readAccount>) {
    return this.sessions.account(caller);
  }

  @Route(routes.endOtherSessions)
  endOthers({ caller }: RouteRequest<typeof routes.endOtherSessions>) {
    return this.sessions.endOthers(caller);
  }

  @Route(routes.startOidc)
  startOidc({ query, request }: RouteRequest<typeof routes.startOidc>) {
    return this.oidc.start(query.next, request);
  }

  @Route(routes.finishOidc)
  finishOidc({ request }: RouteRequest<typeof routes.finishOidc>) {
    return this.oidc.finish(request);
  }

  @Route(routes.readSetup)
  setup() {
    return this.setups.read();
  }

  @Route(routes.setUp)
  setUp({ body, request }: RouteRequest<typeof routes.setUp>) {
    return this.setups.setUp(body, request);
  }
}
