import type { AccessibilityBus, AccessibleRef, Extents } from './accessibility-bus.ts';
import { collectionMatches } from './collection-matches.ts';
import { isInside, type Rectangle } from '../x/rectangle.ts';
import { atspiRoles } from './roles.ts';

/** `ATSPI_ROLE_DOCUMENT_WEB`. */
const DOCUMENT_ROLES = [95];

/** Options of an open drop-down list: `ATSPI_ROLE_LIST_ITEM` and `ATSPI_ROLE_MENU_ITEM`. */
const OPTION_ROLES = [32, atspiRoles.menuItem];

/** Documents that one window is searched for: the page, its frames, and panels of the browser. */
const MAX_DOCUMENTS = 50;

/** Maximum options of the drop-down lists of one document. */
const MAX_OPTIONS = 500;

/** Objects of one document. */
const MAX_OBJECTS = 20_000;

/** A web document in view. */
interface WebArea {
  /** Viewport in pixels of the screen. */
  readonly extents: Extents;
  /**
   * Paths of the document and its descendants, except options in an open popup. The page does not report the bounds of these options.
   * @param popups in pixels of the screen
   */
  descendantPaths(popups: readonly Rectangle[]): Promise<ReadonlySet<string>>;
}

/**
 * Finds the web documents in a frame, an outer document before those in it.
 * @param frame of a toolkit with the strategy `collection`
 * @throws Error if the application does not answer in time
 */
export async function findWebAreas(
  bus: AccessibilityBus,
  frame: AccessibleRef,
  remainingMs: () => number,
): Promise<WebArea[]> {
  const matches = (root: AccessibleRef, roles: readonly number[], maxCount: number) =>
    collectionMatches(bus, root, { state: 'showing', roles, maxCount }, remainingMs());
  const documents = await matches(frame, DOCUMENT_ROLES, MAX_DOCUMENTS);
  return Promise.all(
    documents.map(async (document) => ({
      extents: await bus.extents(document, remainingMs()),
      descendantPaths: async (popups) => {
        const [descendants, options] = await Promise.all([
          matches(document, [], MAX_OBJECTS),
          popups.length === 0 ? [] : matches(document, OPTION_ROLES, MAX_OPTIONS),
        ]);
        const paths = new Set([document.path, ...descendants.map(({ path }) => path)]);
        const bounds = await Promise.all(options.map((option) => bus.extents(option, remainingMs())));
        for (const [index, { path }] of options.entries())
          if (popups.some((popup) => isInside(bounds[index] ?? popup, popup))) paths.delete(path);
        return paths;
      },
    })),
  );
}
