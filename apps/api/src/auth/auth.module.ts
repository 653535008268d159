import { Module } from '@nestjs/common';
import { ACCESS_CHECK } from '../common/injection-tokens.ts';
import { Callers } from './caller.ts';
import { SessionService } from './session.service.ts';

/** Authentication of requests by API key or session. */
@Module({
  providers: [SessionService, Callers, { provide: ACCESS_CHECK, useExisting: Callers }],
  exports: [SessionService, Callers, ACCESS_CHECK],
})
export class AuthModule {}
