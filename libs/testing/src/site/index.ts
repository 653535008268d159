export { startSite } from './server.ts';
export type { Site, SiteOptions } from './server.ts';
export { SESSION_COOKIE } from './data/sessions.ts';
export { DEMO_ACCOUNT } from './data/accounts.ts';
export { LEDGER_KINDS } from './ledger.ts';
export type { EntryFilter, Ledger, LedgerEntry, LedgerKind } from './ledger.ts';
