/// <reference lib="dom" />
import type { Armed, InterceptorTools } from './armed-input.ts';
import type { TextDestination } from './hit-result.ts';
import type { continuationOf as continuation, receivesKeys as takesKeys } from './key-destination.ts';

/**
 * Checks each event of a text. Runs in the isolated world of an interceptor. It is sent as source and may use only its
 * arguments.
 */
export function followTexts(
  tools: InterceptorTools,
  receivesKeys: typeof takesKeys,
  continuationOf: typeof continuation,
) {
  const { stop, report, describeNode, isRecent, hitInOtherDocument } = tools;
  let lastInputTask = 0;
  /** True in a task that handles an input event. */
  let isInInput = false;
  const enterInput = () => {
    isInInput = true;
    lastInputTask += 1;
    const task = lastInputTask;
    setTimeout(() => {
      if (task === lastInputTask) isInInput = false;
    });
  };
  /** True if the page moved the focus last while it handled an input event. */
  let isReaction = false;
  const onFocus = (armed: Armed | null) => {
    if (armed?.input === 'text') isReaction = isInInput;
  };

  /** True if an event goes to the text's field. Adds the next field of a code to `parts`. */
  const acceptText = ({ target, text }: Armed, path: readonly EventTarget[]): boolean => {
    const [focused] = path;
    if (!target || !(focused instanceof Element)) return false;
    if (text.parts.some(({ field }) => field === focused) || receivesKeys(target, path)) return true;
    const isField = (node: Element) =>
      node instanceof HTMLInputElement ||
      node instanceof HTMLTextAreaElement ||
      (node instanceof HTMLElement && node.isContentEditable);
    // A menu moves the focus to the entry that is typed.
    if (!isField(target)) return !isField(focused);
    const next = continuationOf(text.parts.at(-1)?.field ?? target, focused, isReaction);
    if (!next) return false;
    const field = focused as HTMLInputElement;
    text.parts.push({ field, ...next });
    const property = '-webkit-text-security';
    if (getComputedStyle(target).getPropertyValue(property) === 'disc')
      field.style.setProperty(property, 'disc', 'important');
    return true;
  };

  const onText = (armed: Armed | null, event: Event) => {
    if (armed?.input !== 'text' || !event.isTrusted || !isRecent(armed.armedAt)) return;
    const { id, text } = armed;
    // A key may end in another field than it began in.
    const isDecisive = event.type !== 'keyup' && event.type !== 'input';
    if (armed.result?.hit !== 'other' && isDecisive) {
      const path = event.composedPath();
      if (!armed.target) armed.result = hitInOtherDocument(event, true);
      else if (acceptText(armed, path)) armed.result = { hit: 'target' };
      else armed.result = { hit: 'other', description: describeNode(path[0]) };
      if (armed.result?.hit === 'other') report({ id, result: armed.result });
    }
    if (armed.result?.hit === 'other') {
      stop(event);
      return;
    }
    enterInput();
    if (!isDecisive) return;
    text.accepted += 1;
    if (text.last?.defaultPrevented) text.canceled += 1;
    text.last = event;
  };

  /** Begins another input. */
  const reset = () => {
    isReaction = false;
  };

  /** True if the fields are all text fields of a group: parts of one value, such as a date. */
  const areGroup = (fields: readonly Element[]): boolean => {
    const [first] = fields;
    const group = first && (Element.prototype.closest.call(first, '[role="group"], fieldset') as Element | null);
    if (!group || group.localName === 'form') return false;
    const inputs = [...Element.prototype.querySelectorAll.call(group, 'input, textarea, select')].filter(
      (input) => !['hidden', 'button', 'submit', 'reset'].includes((input as HTMLInputElement).type),
    );
    return inputs.length === fields.length && fields.every((field) => inputs.includes(field as HTMLInputElement));
  };

  const destination = ({ target, text: { accepted, canceled, last, parts } }: Armed): TextDestination => {
    const isGroup = target !== null && areGroup([target, ...parts.map(({ field }) => field)]);
    return {
      accepted,
      canceled: canceled + (last?.defaultPrevented ? 1 : 0),
      parts: parts.map(({ field, isLimited }) => ({
        text: field.value,
        // The rest of a text in a field without a limit may not belong there.
        isLimited: isGroup || (isLimited && (field.maxLength > 0 || field.value.length <= 1)),
      })),
    };
  };

  return { onFocus, onText, reset, destination };
}
