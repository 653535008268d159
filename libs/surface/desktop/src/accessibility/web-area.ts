import type { AccessibilityBus, AccessibleRef, Extents } from './accessibility-bus.ts';
import { isInside, type Rectangle } from '../x/rectangle.ts';
import { atspiRoles } from './roles.ts';
import { stateSetOf } from './states.ts';

/** `ATSPI_ROLE_DOCUMENT_WEB` (95) as a role set of a match rule: four words of 32 bits. */
const DOCUMENT_ROLES = [0, 0, (1 << 31) | 0, 0];

/** Options of an open drop-down list: `ATSPI_ROLE_LIST_ITEM` (32) and `ATSPI_ROLE_MENU_ITEM`. */
const OPTION_ROLES = [0, 1 | (1 << (atspiRoles.menuItem - 32)), 0, 0];

/** `ATSPI_Collection_MATCH_ALL` and `MATCH_ANY`. */
const MATCH_ALL = 1;
const MATCH_ANY = 2;

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
  const matches = async (root: AccessibleRef, roles: readonly number[], count: number) => {
    const rule = [stateSetOf('showing'), MATCH_ALL, {}, MATCH_ALL, roles, MATCH_ANY, [], MATCH_ALL, false];
    const found = await bus.call<[string, string][]>(
      root,
      'org.a11y.atspi.Collection',
      'GetMatches',
      remainingMs(),
      '(aiia{ss}iaiiasib)uib',
      [rule, 1, count, true],
    );
    return found.map(([name, path]) => ({ bus: name, path }));
  };
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
