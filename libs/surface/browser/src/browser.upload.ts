import { PilothouseError } from '@pilothouse/contract';
import { send, timeoutOf } from './browser.input.ts';
import { locate } from './browser.locate.ts';
import type { Handler } from './hand.ts';

/** Gives a file to a file input. The input may be hidden: many sites lay a button of their own over it. */
export const upload: Handler<'upload'> = async (hand, { target, file }) => {
  const { one, kind, located } = await locate(hand, target, 'attached');
  if (kind.type !== 'file') {
    const what = kind.type ? `<input type="${kind.type}">` : `<${kind.tag}>`;
    throw new PilothouseError(
      'ACTION_UNSUPPORTED',
      `${located.locator} is ${what}; name the <input type="file">, also when it is hidden`,
    );
  }
  const path = await hand.file(file);
  await send(hand, 'The choice of the file', () => one.setInputFiles(path, { timeout: timeoutOf(hand) }));
  return { located };
};
