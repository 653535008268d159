export { DesktopHost, type DesktopHostOptions } from './desktop.host.ts';
export type { SessionLauncher } from './session/session-client.ts';
export { writeAuthority } from './process/x-authority.ts';
