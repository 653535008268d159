import type { ChildExit } from './child.ts';
import type { ProcessMark } from './process.ts';

/** A server that was started for this machine. */
export interface Embedded {
  url: string;
  port: number;
  mark: ProcessMark;
  exited: Promise<ChildExit>;
  stop(): Promise<ChildExit>;
}
