import type { SurfaceHost } from '@pilothouse/core';

/** What the suite stands on: a host, and a way to put a page before its surfaces. */
export interface SurfaceFixture {
  readonly host: SurfaceHost;
  /** A scratch folder. */
  readonly folder: string;
  /** Serves this HTML as the body of a page. @returns its URL */
  page(body: string): string;
  close(): Promise<void>;
}
