export type { CdpCommands, CdpEvents, CdpSession, ReadLimit } from './cdp-session.ts';
export { IsolatedWorld } from './isolated-world.ts';
export { elementViewOf, PageReader, type PageDocument, type PageElement } from './page-reader.ts';
export { accessibleNames, type AccessibleNames } from './snapshot/accessible-names.script.ts';
export { ariaRoles, type AriaRoles } from './snapshot/aria-roles.script.ts';
export { domTree, type DomTree } from './snapshot/dom-tree.script.ts';
export { plain } from './snapshot/native-properties.ts';
export { waitForIdle } from './snapshot/snapshot-bundle.ts';
export type { SnapshotElement } from './snapshot/snapshot-result.ts';
