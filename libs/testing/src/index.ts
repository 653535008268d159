export { DEMO_ACCOUNT, LEDGER_KINDS, SESSION_COOKIE, startSite } from './site/index.ts';
export type { EntryFilter, Ledger, LedgerEntry, LedgerKind, Site, SiteOptions } from './site/index.ts';
export * from './database.ts';
export * from './log.ts';
export * from './until.ts';
export * from './conformance/surface.ts';
export * from './conformance/state.ts';
export { pixelsOf, type Pixels } from './pixels.ts';
