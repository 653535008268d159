import { Module } from '@nestjs/common';
import { AuditController } from './audit.controller.ts';
import { AuditService } from './audit.service.ts';
import { SignInFailures } from './sign-in-failures.ts';

@Module({
  controllers: [AuditController],
  providers: [AuditService, SignInFailures],
  exports: [SignInFailures],
})
export class AuditModule {}
