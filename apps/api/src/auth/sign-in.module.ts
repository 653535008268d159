import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.ts';
import { APP_CONTEXT, OIDC_PROVIDER } from '../common/injection-tokens.ts';
import type { AppContext } from '../infrastructure/app-context.ts';
import { AuthModule } from './auth.module.ts';
import { OidcService, createOidcProvider } from './oidc/oidc.service.ts';
import { SessionController } from './session.controller.ts';
import { SetupService } from './setup.service.ts';
import { SignInLimiter } from './sign-in-limiter.ts';
import { SignInService } from './sign-in.service.ts';

/** Sign-in of users with a password or single sign-on, and the initial setup. */
@Module({
  imports: [AuditModule, AuthModule],
  controllers: [SessionController],
  providers: [
    SignInService,
    SignInLimiter,
    SetupService,
    OidcService,
    {
      provide: OIDC_PROVIDER,
      inject: [APP_CONTEXT],
      useFactory: ({ config, publicUrl }: AppContext) => createOidcProvider(config.oidc, publicUrl),
    },
  ],
  exports: [AuthModule, SignInLimiter],
})
export class SignInModule {}
