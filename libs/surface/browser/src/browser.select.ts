import { PilothouseError } from '@pilothouse/contract';
import { onOne, send } from './browser.input.ts';
import { locate } from './browser.locate.ts';
import type { Handler } from './hand.ts';
import { inPageOnOne } from './page/in-page.ts';
import { left, poll } from './wait.ts';

/** For each wanted label or value the index of its option: a label goes before a value; -1 when it is not there. */
const indexesOf = inPageOnOne((element: Element, wanted: string[]) => {
  const tidy = (text: string) => text.replace(/\s+/g, ' ').trim();
  const options = element instanceof HTMLSelectElement ? [...element.options] : [];
  const byLabel = (text: string) => options.findIndex(({ label }) => tidy(label) === tidy(text));
  const byValue = (text: string) => options.findIndex(({ value }) => value === text);
  const indexes = wanted.map((text) => (byLabel(text) >= 0 ? byLabel(text) : byValue(text)));
  const off = indexes
    .filter((index) => options[index]?.matches(':disabled'))
    .map((index) => tidy(options[index]?.label ?? ''));
  return { indexes, off, labels: options.map(({ label }) => tidy(label)) };
});

/** Chooses options, and says so to the page as a browser does. */
const choose = inPageOnOne((element: Element, indexes: number[]) => {
  if (!(element instanceof HTMLSelectElement)) return;
  const wanted = indexes.flatMap((index) => element.options[index] ?? []);
  element.selectedIndex = -1;
  for (const option of wanted) option.selected = true;
  element.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  element.dispatchEvent(new Event('change', { bubbles: true }));
});

/** Chooses options of a `<select>`, waiting for them: some sites load them late. */
export const select: Handler<'select'> = async (hand, { target, option }) => {
  const { one, kind, located } = await locate(hand, target, 'input');
  const wanted = [option].flat();
  if (kind.tag !== 'select') {
    throw new PilothouseError(
      'ACTION_UNSUPPORTED',
      `${located.locator} is a <${kind.tag}>, not a <select>; open it with \`click\` and click the option`,
    );
  }
  if (wanted.length > 1 && !kind.multiple) {
    throw new PilothouseError('ACTION_UNSUPPORTED', `${located.locator} takes one option, not ${wanted.length}`);
  }
  let seen: NonNullable<ReturnType<typeof indexesOf>>['value'] = { indexes: [], off: [], labels: [] };
  const until = { signal: hand.signal, deadline: hand.deadline - Math.min(500, left(hand) * 0.2) };
  const ready = await poll(async () => {
    seen = await onOne(hand, one, indexesOf, wanted, 'The list of options');
    return seen.indexes.includes(-1) || seen.off.length > 0 ? undefined : seen.indexes;
  }, until);
  if (!ready) {
    if (seen.off.length > 0) {
      throw new PilothouseError(
        'TARGET_NOT_READY',
        `The option "${seen.off[0] ?? ''}" of ${located.locator} is disabled`,
      );
    }
    const missing = wanted.filter((_, index) => seen.indexes[index] === -1);
    const there = seen.labels
      .slice(0, 30)
      .map((label) => JSON.stringify(label))
      .join(', ');
    throw new PilothouseError(
      'TARGET_NOT_FOUND',
      `${located.locator} has no option ${missing.map((text) => JSON.stringify(text)).join(', ')}; there is ${there || 'none'}`,
      {
        details: { missing, options: seen.labels.slice(0, 100) },
      },
    );
  }
  await send(hand, 'The choice', () => onOne(hand, one, choose, ready, 'The choice'));
  return { located };
};
