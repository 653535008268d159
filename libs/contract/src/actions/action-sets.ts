import { z } from 'zod';
import {
  check,
  clear,
  click,
  drag,
  fill,
  hover,
  press,
  readClipboard,
  scroll,
  selectOption,
  type,
  uncheck,
  writeClipboard,
} from './shared-actions.schema.ts';
import {
  closeTab,
  download,
  goBack,
  goForward,
  handleDialog,
  navigate,
  pdf,
  reload,
  switchTab,
  upload,
} from './browser-actions.schema.ts';
import {
  closeWindow,
  collectFile,
  fillFileDialog,
  listWindows,
  openApp,
  putFile,
  selectMenuItem,
  setWindow,
  switchWindow,
} from './desktop-actions.schema.ts';
import { assert, extract, observe, screenshot, wait, waitFor } from './extraction.schema.ts';

/*
 * The single list of actions. Workflow files, REST, the worker protocol, model tools and the console derive theirs from
 * `actionSchemas`.
 * To add an action: write its schema beside those of its kind, and add it to the lists here, to `surfaceSupport` and to
 * `stepSchema`. Then implement it in each surface that supports it (the compiler names the places).
 */

/** Schema of every action, by its name. */
export const actionSchemas = {
  navigate,
  goBack,
  goForward,
  reload,
  switchTab,
  closeTab,
  handleDialog,
  openApp,
  switchWindow,
  closeWindow,
  listWindows,
  setWindow,
  selectMenuItem,
  fillFileDialog,
  putFile,
  collectFile,
  click,
  hover,
  drag,
  scroll,
  fill,
  type,
  clear,
  press,
  readClipboard,
  writeClipboard,
  check,
  uncheck,
  selectOption,
  upload,
  download,
  waitFor,
  wait,
  assert,
  extract,
  observe,
  screenshot,
  pdf,
} as const;

export type ActionName = keyof typeof actionSchemas;

export const actionNames = Object.keys(actionSchemas) as [ActionName, ...ActionName[]];

/** One primitive on a surface. */
export const actionSchema = z.discriminatedUnion('action', [
  navigate,
  goBack,
  goForward,
  reload,
  switchTab,
  closeTab,
  handleDialog,
  openApp,
  switchWindow,
  closeWindow,
  listWindows,
  setWindow,
  selectMenuItem,
  fillFileDialog,
  putFile,
  collectFile,
  click,
  hover,
  drag,
  scroll,
  fill,
  type,
  clear,
  press,
  readClipboard,
  writeClipboard,
  check,
  uncheck,
  selectOption,
  upload,
  download,
  waitFor,
  wait,
  assert,
  extract,
  observe,
  screenshot,
  pdf,
]);
export type Action = z.infer<typeof actionSchema>;

/** The action of one name. */
export type ActionOf<Name extends ActionName> = Extract<Action, { action: Name }>;

/** Read-only actions: they do not change the surface and can always be repeated. */
export const readOnlyActions: ReadonlySet<ActionName> = new Set([
  'waitFor',
  'wait',
  'assert',
  'extract',
  'observe',
  'screenshot',
  'pdf',
  'listWindows',
]);
