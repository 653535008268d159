import type { ActionName } from '@pilothouse/contract/actions/action-sets';
import type { ActionEffect, Effect } from '@pilothouse/contract/run/outcome';
import type { ActionOutcome } from '../ports/surface-action.port.ts';

/**
 * Effect of an action that completed, where the surface reports none. `confirmed`: the surface fails the action if it does not see
 * the direct effect on the target. `none`: the action only reads. `unverifiable`: the surface sends input, and reads nothing back.
 */
const defaultEffects = {
  navigate: 'confirmed',
  goBack: 'confirmed',
  goForward: 'confirmed',
  reload: 'confirmed',
  switchTab: 'confirmed',
  closeTab: 'confirmed',
  // The answer is stored for a later dialog.
  handleDialog: 'none',
  openApp: 'confirmed',
  switchWindow: 'confirmed',
  // The application may ask before it closes.
  closeWindow: 'unverifiable',
  listWindows: 'none',
  setWindow: 'confirmed',
  selectMenuItem: 'unverifiable',
  fillFileDialog: 'confirmed',
  putFile: 'confirmed',
  collectFile: 'none',
  // The element received the events. A desktop, which sends input to a point of the screen, reports `unverifiable`.
  click: 'confirmed',
  hover: 'confirmed',
  drag: 'confirmed',
  scroll: 'confirmed',
  fill: 'confirmed',
  type: 'confirmed',
  clear: 'confirmed',
  press: 'unverifiable',
  readClipboard: 'none',
  writeClipboard: 'confirmed',
  check: 'confirmed',
  uncheck: 'confirmed',
  selectOption: 'confirmed',
  upload: 'confirmed',
  download: 'confirmed',
  waitFor: 'none',
  wait: 'none',
  assert: 'none',
  extract: 'none',
  observe: 'none',
  screenshot: 'none',
  pdf: 'none',
} as const satisfies Readonly<Record<ActionName, Effect>>;

/** Effect of an action that completed. */
export const effectOf = (
  action: ActionName,
  { effect = defaultEffects[action], effectReason }: Pick<ActionOutcome, 'effect' | 'effectReason'>,
): ActionEffect => ({ effect, ...(effectReason !== undefined && { effectReason }) });
