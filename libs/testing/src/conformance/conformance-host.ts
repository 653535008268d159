import type { PageSurface, Surface, SurfaceHost } from '@pilothouse/core/ports/surface.port';

/**
 * Fixture of `surfaceConformance`: a page in a browser, a program on a desktop. It has the title and visible text
 * "Counter", a button "More", the number of its clicks, and a text field with the label "Note".
 */
export interface SurfaceFixture {
  readonly host: SurfaceHost;
  /** Temporary folder. */
  readonly folder: string;
  /** Places of the counter: the origin of its page, or the URI of its application. */
  readonly placePattern: RegExp;
  /** Opens a surface that shows the counter at 0. */
  openCounter(): Promise<Surface>;
  /** Number that the counter of this surface shows. */
  countOf(surface: Surface): Promise<number>;
  /** Text that the field of this surface has received, without masks of secrets. */
  noteOf(surface: Surface): Promise<string>;
  /** Leaves a trace that another surface must not find. */
  leaveTrace(surface: Surface): Promise<void>;
  hasTrace(surface: Surface): Promise<boolean>;
  close(): Promise<void>;
}

/** Fixture of `stateConformance`. */
export interface PageFixture {
  readonly host: { open(...parameters: Parameters<SurfaceHost['open']>): Promise<PageSurface> };
  /** Temporary folder. */
  readonly folder: string;
  /** Serves this HTML as the body of a page. @returns its URL */
  page(body: string): string;
}
