import type { ApprovalEffect } from '@pilothouse/contract';
import { plainLetters } from './look-alikes.ts';

/*
 * What an address says that it does. Sites should not do anything when a page is only opened, and some do: `/orders/17/delete`,
 * `?action=pay`. Only whole parts count: `/help/how-to-delete` is one to read.
 */

const words: readonly (readonly [ApprovalEffect, readonly string[]])[] = [
  ['pay', ['pay', 'buy', 'purchase', 'place-order', 'confirm-order', 'order-now']],
  ['delete', ['delete', 'remove', 'destroy', 'erase', 'deactivate', 'close-account', 'delete-account', 'unsubscribe']],
  ['send', ['send', 'publish', 'send-message']],
];

/** Parts of a query that say what is done: `?action=delete`. */
const doing: ReadonlySet<string> = new Set([
  'action',
  'act',
  'do',
  'cmd',
  'command',
  'op',
  'operation',
  'method',
  '_method',
]);

/** What a part of a query has whose name says what is done. */
const meaningYes: ReadonlySet<string> = new Set(['', '1', 'true', 'yes']);

/** Which kind of what cannot be taken back an address names; null: none, or it cannot be read. */
export function effectOfUrl(url: string): ApprovalEffect | null {
  const to = URL.parse(url);
  if (!to || !/^https?:$/.test(to.protocol)) return null;
  const asked = [...to.searchParams].flatMap(([name, value]) => {
    if (doing.has(name.toLowerCase())) return [value];
    return meaningYes.has(value.toLowerCase()) ? [name] : [];
  });
  const said = [...to.pathname.split('/'), ...asked].map(plain);
  return words.find(([, names]) => names.some((name) => said.includes(name)))?.[0] ?? null;
}

/** `placeOrder.php` → `place-order`; also where its letters are encoded or look-alikes. */
const plain = (part: string): string =>
  decoded(part)
    .replace(/\.(?:php|aspx?|jsp|do|html?|cgi)$/i, '')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1-$2')
    .replace(/[_.\s]+/g, '-')
    .split('-')
    .map(plainLetters)
    .join('-');

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
