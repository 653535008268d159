import { Inject } from '@nestjs/common';
import { routes, type AuditEntry, type ListAuditQuery, type Page, type RouteDefinition } from '@pilothouse/contract';
import { AuditStore } from '@pilothouse/infra-db';
import type { Caller } from '../http/route-request.ts';
import { SIGN_IN_FAILED } from './sign-in-failures.ts';

const routeByName: Readonly<Record<string, RouteDefinition>> = routes;

/** Summaries of entries that belong to no operation. */
const summariesByAction: Readonly<Record<string, string>> = {
  [SIGN_IN_FAILED]: 'Sign-in refused: the password was wrong',
};

/** Lists the audit log of a project. */
export class AuditService {
  constructor(@Inject(AuditStore) private readonly store: Pick<AuditStore, 'list'>) {}

  async list({ project }: Caller, query: ListAuditQuery): Promise<Page<AuditEntry>> {
    const { items, nextCursor } = await this.store.list(project.id, query);
    // The operation may no longer exist.
    const summaryOf = (action: string) => routeByName[action]?.summary ?? summariesByAction[action] ?? action;
    return { items: items.map((entry) => ({ ...entry, summary: summaryOf(entry.action) })), nextCursor };
  }
}
