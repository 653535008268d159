import type { ActionName } from '@pilothouse/contract/actions/action-sets';
import { surfaceSupport } from '@pilothouse/contract/actions/surface-support';
import type { SurfaceKind } from '@pilothouse/contract/primitives.schema';

/* Actions that models may call. */

/** Name of the function for actions, and of its parameter for the action name. */
export const ACT = 'act';

type ElementUse = 'needed' | 'possible' | 'none';

export interface ActionUsage {
  readonly element: ElementUse;
  /** Other documented parameters. */
  readonly fields: readonly string[];
  /** Parameter names of the contract. Accepted, but not documented. */
  readonly aliases?: readonly string[];
  /** Details that the names do not express. */
  readonly hint?: string;
}

/** Action names that differ from the contract, because models know these. */
const toolActions = {
  back: 'goBack',
  dialog: 'handleDialog',
  select: 'selectOption',
  type: 'fill',
} as const satisfies Readonly<Record<string, ActionName>>;

/** Action name for models. */
export type ToolName = Exclude<ActionName, (typeof toolActions)[keyof typeof toolActions]> | keyof typeof toolActions;

/** Action for a name of a model. */
export const toolAction = (name: ToolName): ActionName =>
  ({ ...toolActions })[name as keyof typeof toolActions] ?? name;

/** Parameters of each offered action. A missing action is not offered. */
const usages: Partial<Record<ToolName, ActionUsage>> = {
  navigate: { element: 'none', fields: ['url'] },
  back: { element: 'none', fields: [] },
  click: { element: 'needed', fields: ['times', 'button'], aliases: ['count'] },
  hover: { element: 'needed', fields: [] },
  drag: { element: 'needed', fields: ['to_element', 'position'], hint: 'position: pixels in to_element' },
  scroll: { element: 'possible', fields: ['to', 'down', 'right'], aliases: ['by'], hint: 'to an edge, or by pixels' },
  type: { element: 'possible', fields: ['text', 'append'], hint: 'without element: at the caret' },
  clear: { element: 'needed', fields: [] },
  press: { element: 'possible', fields: ['key', 'times'], hint: 'e.g. Enter, ArrowDown, Control+A' },
  check: { element: 'needed', fields: [] },
  uncheck: { element: 'needed', fields: [] },
  select: { element: 'needed', fields: ['option'] },
  upload: { element: 'needed', fields: ['file'] },
  download: { element: 'needed', fields: [] },
  openApp: { element: 'none', fields: ['app', 'args'], hint: 'app: id or name; args: files or URLs' },
  switchWindow: { element: 'none', fields: ['app', 'window'], hint: 'to the front' },
  closeWindow: { element: 'none', fields: ['app', 'window'], hint: 'default: the active window' },
  listWindows: { element: 'none', fields: [], hint: 'with bounds and states' },
  setWindow: {
    element: 'none',
    fields: ['app', 'window', 'state', 'bounds'],
    hint: 'move, resize or set the state; default: the active window',
  },
  selectMenuItem: { element: 'none', fields: ['items'], hint: "e.g. ['File', 'Save As']" },
  fillFileDialog: {
    element: 'none',
    fields: ['path', 'overwrite'],
    hint: 'answer an open or save dialog',
  },
  switchTab: { element: 'none', fields: ['url', 'title', 'index'], hint: 'give exactly one' },
  closeTab: { element: 'none', fields: [] },
  dialog: { element: 'none', fields: ['accept', 'text'], hint: 'call before the action that opens a browser dialog' },
  wait: { element: 'none', fields: ['seconds'] },
  waitFor: { element: 'none', fields: ['url', 'title', 'text'] },
};

/** Usages that differ on a surface. */
const surfaceUsages: Readonly<Record<SurfaceKind, typeof usages>> = {
  browser: {},
  desktop: {
    type: { element: 'possible', fields: ['text', 'append'], hint: 'without element: into the focus' },
    press: { element: 'possible', fields: ['key', 'times'], hint: 'e.g. Enter, F10, Control+S, Alt+F4' },
    waitFor: { element: 'none', fields: ['title', 'text'] },
  },
};

/** Actions that models may call on a surface: those of `surfaceSupport` that have a usage. */
export function offeredActions(surface: SurfaceKind): readonly (readonly [ToolName, ActionUsage])[] {
  const entries = Object.entries({ ...usages, ...surfaceUsages[surface] }) as [ToolName, ActionUsage][];
  return entries.filter(([name]) => surfaceSupport[surface].actions.has(toolAction(name)));
}

/** Usage of an action on any surface; undefined: it is not offered. */
export const usageOf = (name: string): ActionUsage | undefined =>
  Object.hasOwn(usages, name) ? usages[name as ToolName] : undefined;
