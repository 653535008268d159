import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { inputPlaceholdersIn, secretPlaceholder } from '@pilothouse/core/workflow/secret-placeholders';
import { limitDeadline, poll, remainingMs, type Deadline } from '@pilothouse/core/time/deadlines';
import type { DesktopElement } from '../accessibility/accessible-node.ts';
import { atspiRoles, isPasswordField, textFieldRoles } from '../accessibility/roles.ts';
import type { DesktopActionContext } from '../action-context.ts';
import { optionsOf } from '../session/session-client.ts';
import { uriOf, type DesktopScreen } from '../desktop.screen.ts';
import type { WindowFacts } from '../x/window-manager.ts';

/** Milliseconds for the focus to reach a field, for example of a dialog that just opened. */
const FOCUS_TIMEOUT_MS = 5_000;

/** The text field with the focus. @returns null after half of the step's time without one, at least 5 s */
export async function focusedField(
  context: Deadline & { readonly screen: DesktopScreen },
): Promise<DesktopElement | null> {
  const limits = limitDeadline(context, Math.max(FOCUS_TIMEOUT_MS, remainingMs(context) / 2));
  const found = await poll(async () => {
    const { elements } = await context.screen.read(limits);
    return elements.find((element) => element.state.focused === true && acceptsSecret(element));
  }, limits);
  return found ?? null;
}

/**
 * Replaces the placeholders of secrets in a text, for the application of a window. The secrets are covered in screenshots and texts before the
 * text is returned.
 * @param element the field that receives the text; null: unknown
 * @throws PilothouseError ACTION_UNSUPPORTED if the text has a secret and no field is known, because screenshots could show it.
 * TARGET_NOT_ACTIONABLE if another window became active meanwhile
 */
export async function resolveSecrets(
  context: DesktopActionContext,
  text: string,
  window: WindowFacts | null,
  element: DesktopElement | null,
): Promise<string> {
  const uri = uriOf(window);
  const plaintext = await context.reveal(text, uri);
  if (plaintext === text) return text;
  if (!window || !element || !acceptsSecret(element))
    throw new PilothouseError(
      'ACTION_UNSUPPORTED',
      'The secret was not typed: the target is not a text field that can be redacted in screenshots. Use a text field as target',
    );
  const placeholders = [...new Set(inputPlaceholdersIn(text))].map(secretPlaceholder);
  const values = await Promise.all(placeholders.map((placeholder) => context.reveal(placeholder, uri)));
  const texts = values.filter((value, index) => value !== placeholders[index]);
  const { bus, path } = element.node;
  const secret = { texts, field: { bus, path }, app: window.appId, isHidden: isPasswordField(element.node) };
  await context.session.call('registerSecret', secret, optionsOf(context));
  const active = await context.session.call('activeWindow', null, optionsOf(context));
  if (active?.id !== window.id)
    throw new PilothouseError(
      'TARGET_NOT_ACTIONABLE',
      `Nothing was typed: another window became active (${JSON.stringify(active?.title ?? 'none')}). Activate the window and type again`,
    );
  return plaintext;
}

/** True for a password field, and for a field whose text can be watched. */
const acceptsSecret = (element: DesktopElement): boolean =>
  isPasswordField(element.node) ||
  (textFieldRoles.has(element.role) && element.node.role !== atspiRoles.terminal && element.node.value !== undefined);
