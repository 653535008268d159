import type { ChildExit } from './child.ts';
import type { ProcessIdentity } from './process.ts';

/** A server that was started for this machine. */
export interface EmbeddedServer {
  url: string;
  port: number;
  mark: ProcessIdentity;
  exited: Promise<ChildExit>;
  stop(): Promise<ChildExit>;
}
