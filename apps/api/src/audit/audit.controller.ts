import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import type { RouteRequest } from '../http/route-request.ts';
import { Route } from '../http/route.decorator.ts';
import { AuditExportService } from './audit-export.service.ts';
import { AuditService } from './audit.service.ts';

@Controller()
export class AuditController {
  constructor(
    @Inject(AuditService) private readonly audit: AuditService,
    @Inject(AuditExportService) private readonly exports: AuditExportService,
  ) {}

  @Route(routes.listAudit)
  list({ caller, query }: RouteRequest<typeof routes.listAudit>) {
    return this.audit.list(caller, query);
  }

  @Route(routes.exportAudit)
  export({ caller, query, signal }: RouteRequest<typeof routes.exportAudit>) {
    return this.exports.export(caller, query, signal);
  }
}
