import { Module } from '@nestjs/common';
import { SignInFailures } from './sign-in-failures.ts';
import { AuditController } from './audit.controller.ts';
import { AuditExportService } from './audit-export.service.ts';
import { AuditService } from './audit.service.ts';

@Module({
  controllers: [AuditController],
  providers: [AuditService, AuditExportService, SignInFailures],
  exports: [SignInFailures],
})
export class AuditModule {}
