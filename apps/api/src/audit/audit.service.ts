import { Inject } from '@nestjs/common';
import { type AuditEntry, type ListAuditQuery, unroutedAuditActions } from '@pilothouse/contract/api/audit.routes';
import type { Page } from '@pilothouse/contract/api/query-params';
import type { RouteDefinition } from '@pilothouse/contract/api/route-definition';
import { routes } from '@pilothouse/contract/api/route-table';
import { AuditStore } from '@pilothouse/infra-db';
import type { Caller } from '../http/route-request.ts';

const routeByName: Readonly<Record<string, RouteDefinition>> = routes;

const summariesByAction: Readonly<Record<string, string>> = unroutedAuditActions;

/** Lists the audit log of a project. */
export class AuditService {
  constructor(@Inject(AuditStore) private readonly store: Pick<AuditStore, 'list'>) {}

  async list({ project }: Caller, query: ListAuditQuery): Promise<Page<AuditEntry>> {
    const { items, nextCursor } = await this.store.list(project.id, query);
    return { items: items.map((entry) => ({ ...entry, ...operationOf(entry.action) })), nextCursor };
  }
}

/** Facts about an operation, which may no longer exist. */
function operationOf(action: string): Pick<AuditEntry, 'summary' | 'resource'> {
  const route = routeByName[action];
  return {
    summary: route?.summary ?? summariesByAction[action] ?? action,
    // The first segment is the version.
    resource: route?.path.split('/')[2] ?? null,
  };
}
