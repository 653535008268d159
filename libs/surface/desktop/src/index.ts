export { DesktopHost, type DesktopHostOptions } from './desktop.host.ts';
export { MachineSessions, type MachineSessionsOptions } from './session/machine-sessions.ts';
export { SlotSessions } from './slot/slot-sessions.ts';
export type { SessionLauncher } from './session/machine-session.ts';
export { noIsolation, type SessionIsolation } from './process/session-isolation.ts';
export { writeAuthority } from './process/x-authority.ts';
