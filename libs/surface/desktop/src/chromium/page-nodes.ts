import type { PageElement, PageRead } from '@pilothouse/surface-page-elements';
import type { AccessibleNode, PageFacts } from '../accessibility/accessible-node.ts';
import { atspiRoles } from '../accessibility/roles.ts';
import type { TextPart } from '../accessibility/window-text.ts';
import type { Rectangle } from '../x/rectangle.ts';

/** Pixels by which the two sides of a viewport may differ in scale: sizes are whole numbers. */
const MAX_SCALE_DIFFERENCE_PX = 3;

/** Beginning of the bus names of elements that come from a page. */
const PAGE_BUS = 'page:';

/** Bus name of page elements in a browser. */
export const pageBus = (pid: number): string => `${PAGE_BUS}${pid}`;

/** @returns the process id of the browser; null for an accessible object */
export const pidOfPageBus = (bus: string): number | null =>
  bus.startsWith(PAGE_BUS) ? Number(bus.slice(PAGE_BUS.length)) : null;

/** Texts of a page as parts of a window's text. Each is one part: a short secret is masked only as a whole part. */
export const pageTextParts = (pid: number, texts: readonly string[]): TextPart[] =>
  texts.map((text) => ({ bus: pageBus(pid), path: '/', text }));

/** Identity of an element: frame, document and element id. */
interface PageElementKey {
  readonly frame: string;
  readonly document: number;
  readonly id: number;
}

const pathOf = ({ source: { world }, element }: PageElement<null>): string =>
  `/${world.frame}/${world.document}/${element.id}`;

/** @throws Error if the path is not that of a page element */
export function parsePageElementPath(path: string): PageElementKey {
  const [, frame, document, id] = path.split('/');
  if (!frame || document === undefined || id === undefined) throw new Error(`${path} is not an element of a page`);
  return { frame, document: Number(document), id: Number(id) };
}

/**
 * Pixels of the screen for each CSS pixel: the scale of the screen times the zoom of the page.
 * @returns null if the area is not that of this viewport
 */
export function scaleOf(area: Rectangle, viewport: { readonly width: number; readonly height: number }): number | null {
  if (viewport.width <= 0 || viewport.height <= 0) return null;
  const scale = area.width / viewport.width;
  return scale > 0 && Math.abs(viewport.height * scale - area.height) <= MAX_SCALE_DIFFERENCE_PX ? scale : null;
}

/** Roles of fields that secrets are typed into, as numbers of AT-SPI. Other elements have none. */
const FIELD_ROLES: Readonly<Record<string, number>> = {
  textbox: atspiRoles.entry,
  searchbox: atspiRoles.entry,
  combobox: atspiRoles.comboBox,
  spinbutton: atspiRoles.spinButton,
};

/**
 * Elements of a page as objects of its window.
 * @param area viewport in pixels of the screen
 * @param hasFocus false while a bar of the browser, or another window, has the keyboard focus
 */
export function pageNodes(
  pid: number,
  { elements }: Pick<PageRead<null>, 'elements'>,
  area: Rectangle,
  scale: number,
  hasFocus: boolean,
): AccessibleNode[] {
  const bus = pageBus(pid);
  return elements.map((pageElement) => {
    const {
      id: _id,
      name,
      value,
      bounds,
      point,
      isBehindLabel: _label,
      isPasswordField,
      ...facts
    } = pageElement.element;
    const { focused, ...state } = facts.state;
    const left = Math.round(area.x + bounds.x * scale);
    const top = Math.round(area.y + bounds.y * scale);
    const page: PageFacts = {
      ...facts,
      state: hasFocus && focused ? { ...state, focused } : state,
      point: { x: Math.floor(area.x + point.x * scale), y: Math.floor(area.y + point.y * scale) },
    };
    // After “Show password” the field has the type text. Its value is masked as well.
    const shownValue = isPasswordField && value ? '•'.repeat(4) : value;
    return {
      ...{ bus, path: pathOf(pageElement), name, states: [0, 0], page },
      role: isPasswordField ? atspiRoles.passwordText : (FIELD_ROLES[facts.role] ?? 0),
      extents: {
        ...{ x: left, y: top },
        width: Math.round(area.x + (bounds.x + bounds.width) * scale) - left,
        height: Math.round(area.y + (bounds.y + bounds.height) * scale) - top,
      },
      ...(shownValue !== undefined && { value: shownValue }),
    };
  });
}
