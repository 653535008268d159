import { Inject } from '@nestjs/common';
import { routes, type AuditEntry, type ListAuditQuery, type Page, type RouteDefinition } from '@pilothouse/contract';
import { AuditStore } from '@pilothouse/infra-db';
import type { Caller } from '../http/route-request.ts';
import { SIGN_IN_FAILED } from './sign-in-failures.ts';

const known: Readonly<Record<string, RouteDefinition>> = routes;

/** What is kept that no operation did. */
const refused: Readonly<Record<string, string>> = {
  [SIGN_IN_FAILED]: 'Sign-in refused: the password was wrong',
};

/** What was done in a project. */
export class AuditService {
  constructor(@Inject(AuditStore) private readonly store: Pick<AuditStore, 'list'>) {}

  async list({ project }: Caller, query: ListAuditQuery): Promise<Page<AuditEntry>> {
    const { items, nextCursor } = await this.store.list(project.id, query);
    // An operation may have gone since.
    const summaryOf = (action: string) => known[action]?.summary ?? refused[action] ?? action;
    return { items: items.map((entry) => ({ ...entry, summary: summaryOf(entry.action) })), nextCursor };
  }
}
