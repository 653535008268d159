import type { ActionName } from '@pilothouse/contract';

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
export const offeredActions: Partial<Record<ToolName, ActionUsage>> = {
  navigate: { element: 'none', fields: ['url'] },
  back: { element: 'none', fields: [] },
  click: { element: 'needed', fields: ['times', 'button'], aliases: ['count'] },
  hover: { element: 'needed', fields: [] },
  drag: { element: 'needed', fields: ['to_element', 'position'], hint: 'position: pixels in to_element' },
  scroll: { element: 'possible', fields: ['to', 'down', 'right'], aliases: ['by'], hint: 'to an end, or by pixels' },
  type: { element: 'possible', fields: ['text', 'append'], hint: 'without element where the caret is' },
  clear: { element: 'needed', fields: [] },
  press: { element: 'possible', fields: ['key', 'times'], hint: 'e.g. Enter, ArrowDown, Control+A' },
  check: { element: 'needed', fields: [] },
  uncheck: { element: 'needed', fields: [] },
  select: { element: 'needed', fields: ['option'] },
  upload: { element: 'needed', fields: ['file'] },
  download: { element: 'needed', fields: [] },
  switchTab: { element: 'none', fields: ['url', 'title', 'index'], hint: 'by one of them' },
  closeTab: { element: 'none', fields: [] },
  dialog: { element: 'none', fields: ['accept', 'text'], hint: 'before what opens a dialog of the browser' },
  wait: { element: 'none', fields: ['seconds'] },
  waitFor: { element: 'none', fields: ['url', 'title', 'text'] },
};
