import type { SurfaceKind } from '../primitives.schema.ts';
import { actionNames, type ActionName } from './action-sets.ts';
import type { Condition } from './condition.schema.ts';
import type { Locator } from './locator.schema.ts';

/* The single table of what each kind of surface supports. Words and behavior are in `surfaceTraits` of libs/core. */

/** Actions that only a browser has. */
const browserOnlyActions = [
  'navigate',
  'goBack',
  'goForward',
  'reload',
  'switchTab',
  'closeTab',
  'handleDialog',
  'upload',
  'download',
  'pdf',
] as const satisfies readonly ActionName[];

/** Actions that only a desktop has. */
const desktopOnlyActions = [
  'openApp',
  'switchWindow',
  'closeWindow',
  'listWindows',
  'setWindow',
  'selectMenuItem',
  'fillFileDialog',
  'putFile',
  'collectFile',
] as const satisfies readonly ActionName[];

export type BrowserActionName = Exclude<ActionName, (typeof desktopOnlyActions)[number]>;

export type DesktopActionName = Exclude<ActionName, (typeof browserOnlyActions)[number]>;

/** Fields of locators or conditions. */
interface FieldSupport<Field extends string> {
  /** Fields that the surface does not have. */
  readonly unsupported: readonly Field[];
  /** Fields to use instead, within a sentence. */
  readonly instead: string;
}

/** Support of a kind of surface for workflows, agents and runs. */
interface SurfaceSupport {
  readonly actions: ReadonlySet<ActionName>;
  /** Steps besides actions that the surface does not have. */
  readonly unsupportedSteps: ReadonlySet<string>;
  readonly locator: FieldSupport<keyof Locator>;
  readonly condition: FieldSupport<keyof Condition>;
  /** Field of a goal that names its start. */
  readonly goalStart: 'url' | 'apps';
}

const actionsWithout = (names: readonly ActionName[]) => new Set(actionNames.filter((name) => !names.includes(name)));

export const surfaceSupport = {
  browser: {
    actions: actionsWithout(desktopOnlyActions),
    unsupportedSteps: new Set(),
    locator: {
      unsupported: ['screenText', 'image', 'app', 'window'],
      instead: 'role and name, label, text, testId, css or point',
    },
    condition: {
      unsupported: ['app', 'window', 'image', 'stableMs'],
      instead: 'url, title, text, visible, enabled, hidden, count, loadState',
    },
    goalStart: 'url',
  },
  desktop: {
    actions: actionsWithout(browserOnlyActions),
    unsupportedSteps: new Set(['saveProfile', 'paginate']),
    locator: {
      unsupported: ['css', 'testId', 'placeholder', 'has', 'hasText'],
      instead: 'role and name, label, text, screenText, image, elementIndex or point',
    },
    condition: {
      unsupported: [],
      instead: 'url, title, text, visible, enabled, hidden, count, loadState, app, window, image, stableMs',
    },
    goalStart: 'apps',
  },
} as const satisfies Readonly<Record<SurfaceKind, SurfaceSupport>>;
