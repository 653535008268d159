import { MASK } from '@pilothouse/core/secret/secret-masker';
import { joinTexts } from '../accessibility/window-text.ts';
import { pidOfPageBus } from '../chromium/page-nodes.ts';
import { observeWindow, readTextOfWindow } from '../observation/observe-window.ts';
import { referencesOf } from '../redaction/secret-fields.ts';
import { effectHandler, type Procedures, type SessionGetter } from './running-session.ts';

/** Characters above which `readText` returns null. */
const MAX_TEXT_CHARACTERS = 1_000_000;

/** Procedures for the elements of windows, without secrets. */
export function elementProcedures(
  session: SessionGetter,
): Pick<Procedures, 'observe' | 'readWindowText' | 'readText' | 'doAction' | 'registerSecret'> {
  const effect = effectHandler(session);
  return {
    observe: async ({ deadlineMs, windowId, need, menu = null }) => {
      const { redactor, passwords, accessibility, pages, timers } = session();
      const startedAt = timers.monotonic();
      const tree = await observeWindow(session(), await accessibility, deadlineMs, windowId, { pages, need, menu });
      // Fields of pages are tracked through the accessibility bus. A partial read does not show that a field is gone.
      if (need.roles === null && menu === null && !tree.nodes.some(({ page }) => page))
        passwords.record(tree, startedAt);
      return redactor.tree(passwords.withMaskedPasswords(tree));
    },
    readWindowText: async ({ deadlineMs, windowId }) => {
      const { redactor, passwords, pages } = session();
      const read = await readTextOfWindow(session(), await session().bus, deadlineMs, windowId, pages);
      const masked = read?.parts.map((part) =>
        passwords.isPasswordField(part) ? MASK : redactor.fieldText(part, part.text),
      );
      return read && masked ? joinTexts(masked, read.incomplete) : null;
    },
    readText: async ({ bus, path, timeoutMs }) => {
      const { redactor, passwords, pages } = session();
      if (pidOfPageBus(bus) !== null) {
        const field = await pages.fieldText({ bus, path }, timeoutMs);
        const text = field ? field.text : await pages.elementText({ bus, path }, timeoutMs);
        if (text === null) return null;
        return field?.isSecret ? MASK : redactor.fieldText({ bus, path }, text);
      }
      if (passwords.isPasswordField({ bus, path })) return MASK;
      const text = await (
        await session().bus
      )
        .wholeText({ bus, path }, timeoutMs, MAX_TEXT_CHARACTERS)
        .catch(() => null);
      return text === null ? null : redactor.fieldText({ bus, path }, text);
    },
    doAction: async ({ bus, path, timeoutMs }) =>
      pidOfPageBus(bus) === null &&
      (await session().bus)
        .call<boolean>({ bus, path }, 'org.a11y.atspi.Action', 'DoAction', timeoutMs, 'i', [0])
        .catch(() => false),
    registerSecret: effect(async (running, secret) => {
      const { redactor, pages, accessibility } = running;
      const fields = await referencesOf(running, await accessibility, pages, secret.field);
      for (const field of fields) redactor.add({ ...secret, field });
    }),
  };
}
