import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract';
import type { Call } from '../http/call.ts';
import { Route } from '../http/route.ts';
import { OidcService } from './oidc.service.ts';
import { Sessions, viewOf } from '../auth/sessions.ts';
import { SetupService } from './setup.service.ts';
import { SignInService } from './sign-in.service.ts';

@Controller()
export class SessionsController {
  constructor(
    @Inject(SignInService) private readonly signIns: SignInService,
    @Inject(Sessions) private readonly sessions: Sessions,
    @Inject(OidcService) private readonly oidc: OidcService,
    @Inject(SetupService) private readonly setups: SetupService,
  ) {}

  @Route(routes.signIn)
  signIn({ body, request }: Call<typeof routes.signIn>) {
    return this.signIns.signIn(body, request);
  }

  @Route(routes.readSession)
  read({ caller }: Call<typeof routes.readSession>) {
    return viewOf(caller);
  }

  @Route(routes.signOut)
  signOut({ caller, request }: Call<typeof routes.signOut>) {
    return this.sessions.close(caller, request);
  }

  @Route(routes.startOidc)
  startOidc({ query, request }: Call<typeof routes.startOidc>) {
    return this.oidc.start(query.next, request);
  }

  @Route(routes.finishOidc)
  finishOidc({ request }: Call<typeof routes.finishOidc>) {
    return this.oidc.finish(request);
  }

  @Route(routes.readSetup)
  setup() {
    return this.setups.read();
  }

  @Route(routes.setUp)
  setUp({ body, request }: Call<typeof routes.setUp>) {
    return this.setups.setUp(body, request);
  }
}
