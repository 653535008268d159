import { HttpProblem } from '../site-problem.ts';
import { empty, json, type Reply } from '../site-responses.ts';
import type { Route, SiteRequest, SiteState } from '../site-route.ts';
import { LEDGER_KINDS, type LedgerKind } from '../ledger.ts';

/** The ledger over HTTP, for tests in other processes. Requires no login and is not recorded. */
export const ledgerRoutes: readonly Route[] = [
  { method: 'GET', path: '/__ledger', shape: 'data', access: 'public', handle: readLedger },
  { method: 'DELETE', path: '/__ledger', shape: 'data', access: 'public', handle: clearLedger },
];

/** `{entries, last}`; pass `last`, the number of the newest entry, as `since` of the next request. */
function readLedger({ query }: SiteRequest, { ledger }: SiteState): Reply {
  const kind = query.get('kind') ?? undefined;
  const since = readInteger(query, 'since') ?? 0;
  if (kind !== undefined && !isKind(kind))
    throw new HttpProblem(400, `kind must be one of ${LEDGER_KINDS.join(', ')}.`);
  return json({ entries: ledger.entries({ kind, since }), last: ledger.last });
}

function clearLedger({ query }: SiteRequest, { ledger }: SiteState): Reply {
  ledger.clear(readInteger(query, 'until'));
  return empty(204);
}

function readInteger(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const number = Number(text);
  if (!Number.isInteger(number)) throw new HttpProblem(400, `${name} must be a whole number.`);
  return number;
}

function isKind(kind: string): kind is LedgerKind {
  return LEDGER_KINDS.some((ledgerKind) => ledgerKind === kind);
}
