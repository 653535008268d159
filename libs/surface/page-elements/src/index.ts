export type { CdpCommands, CdpEvents, CdpSession, ReadLimit } from './cdp-session.ts';
export { IsolatedWorld } from './isolated-world.ts';
export { elementViewOf, PageReader, type PageDocument, type PageElement, type PageRead } from './page-reader.ts';
export { pageScript } from './page-script.ts';
export { plain } from './snapshot/native-properties.ts';
export { waitForIdle } from './snapshot/wait-for-idle.ts';
export type { SnapshotElement } from './snapshot/snapshot-result.ts';
export type { PageWindowFacts } from './snapshot/window-facts.ts';
