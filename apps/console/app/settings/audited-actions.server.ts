import { unroutedAuditActions } from '@pilothouse/contract/api/audit.routes';
import type { RouteDefinition } from '@pilothouse/contract/api/route-definition';
import { routes } from '@pilothouse/contract/api/route-table';

const isRecorded = ({ method, audit }: RouteDefinition) =>
  audit === undefined ? method !== 'GET' && method !== 'HEAD' : audit !== 'nothing';

/** Operations that the audit log records, by summary. They are read on the server: the browser does not load all routes. */
export const auditedActions: readonly { readonly name: string; readonly summary: string }[] = [
  ...Object.entries<RouteDefinition>(routes).flatMap(([name, route]) =>
    isRecorded(route) ? [{ name, summary: route.summary }] : [],
  ),
  ...Object.entries(unroutedAuditActions).map(([name, summary]) => ({ name, summary })),
].sort((a, b) => a.summary.localeCompare(b.summary));
