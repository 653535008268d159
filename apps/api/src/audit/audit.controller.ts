import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import type { RouteRequest } from '../http/route-request.ts';
import { Route } from '../http/route.decorator.ts';
import { AuditService } from './audit.service.ts';

@Controller()
export class AuditController {
  constructor(@Inject(AuditService) private readonly audit: AuditService) {}

  @Route(routes.listAudit)
  list({ caller, query }: RouteRequest<typeof routes.listAudit>) {
    return this.audit.list(caller, query);
  }
}
