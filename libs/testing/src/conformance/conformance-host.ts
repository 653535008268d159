import type { SurfaceHost } from '@pilothouse/core';

/** Fixture of the suite: a host, and a server for pages. */
export interface SurfaceFixture {
  readonly host: SurfaceHost;
  /** Temporary folder. */
  readonly folder: string;
  /** Serves this HTML as the body of a page. @returns its URL */
  page(body: string): string;
  close(): Promise<void>;
}
