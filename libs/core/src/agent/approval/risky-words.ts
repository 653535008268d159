import type { ApprovalEffect, ElementView, Observation } from '@pilothouse/contract';
import { plainLetters, readings } from './confusable-letters.ts';

/*
 * What controls are called that do what cannot be taken back, in the languages that sites we know are in. A name that is not here is not
 * noticed: the list is a net with holes, said so in docs/agent.md.
 */

const pay = [
  'pay',
  'pay now',
  'buy',
  'buy now',
  'purchase',
  'place order',
  'place your order',
  'order now',
  'submit order',
  'confirm order',
  'confirm purchase',
  'confirm payment',
  'complete (?:order|purchase|payment|booking)',
  'book now',
  'place (?:a )?bid',
  'check ?out',
  'subscribe',
  'donate',
  'transfer',
  'send money',
  'withdraw',
  'bezahlen',
  'zahlen',
  'jetzt kaufen',
  'kaufen',
  'kostenpflichtig bestellen',
  'zahlungspflichtig bestellen',
  'bestellung abschicken',
  'überweisen',
  'payer',
  'acheter',
  'commander',
  'passer la commande',
  'pagar',
  'comprar',
  'realizar pedido',
  'paga',
  'acquista',
];
const remove = [
  'delete',
  'remove',
  'erase',
  'destroy',
  'deactivate',
  'close account',
  'cancel (?:order|account|subscription)',
  'wipe',
  'discard',
  'unsubscribe',
  'uninstall',
  'empty (?:the )?(?:trash|bin)',
  'factory reset',
  'revoke',
  'terminate',
  'drop',
  'löschen',
  'entfernen',
  'kündigen',
  'stornieren',
  'supprimer',
  'effacer',
  'résilier',
  'eliminar',
  'borrar',
  'elimina',
  'cancella',
];
const send = [
  'send',
  'submit',
  'publish',
  'post',
  'reply',
  'share',
  'invite',
  'tweet',
  'comment',
  'send message',
  'apply now',
  'senden',
  'absenden',
  'abschicken',
  'veröffentlichen',
  'teilen',
  'envoyer',
  'publier',
  'partager',
  'enviar',
  'publicar',
  'invia',
  'pubblica',
];

/** The words stand alone: `pay` is not in `payment methods` when what follows names something to look at. */
const named = (words: readonly string[]) => {
  const ANY = words.map(plainLetters).join('|');
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${ANY})(?![\\p{L}\\p{N}])`, 'iu');
};

/** By kind, the first that fits counts. */
const guardedNames = [
  ['pay', named(pay)],
  ['delete', named(remove)],
  ['send', named(send)],
] as const;

/** The kind of action that cannot be undone which a control of this name carries out, however its letters are written; null: none is known. */
export function effectOfName(name: string): ApprovalEffect | null {
  const read = readings(name);
  return guardedNames.find(([, names]) => read.some((one) => names.test(one)))?.[0] ?? null;
}

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

/* A control that only says yes: what it does stands in the question beside it. */

const yes =
  /^(?:yes\b.*|ok(?:ay)?|confirm|continue|proceed|go ahead|i(?:'m| am) sure|do it|go|apply|ja\b.*|bestatigen|fortfahren|weiter|oui\b.*|confirmer|continuer|si\b.*|confirmar|continuar|conferma|continua)[.!]?$/iu;

/** Pixels from a control within which a question may be about it. */
const BESIDE = 300;

/** Whether two elements lie so near to each other that one may be about the other. */
export function isBeside({ bounds: one }: Pick<ElementView, 'bounds'>, { bounds: other }: Pick<ElementView, 'bounds'>) {
  const gap = (from: number, length: number, its: number, long: number) =>
    Math.max(0, its - (from + length), from - (its + long));
  return (
    gap(one.x, one.width, other.x, other.width) <= BESIDE && gap(one.y, one.height, other.y, other.height) <= BESIDE
  );
}

/** Which kind of what cannot be taken back the page asks about beside a control that says yes; null: it says something else, or nothing is asked. */
export function effectOfConfirmation(
  { name, bounds, interactive }: ElementView,
  { elements }: Observation,
): ApprovalEffect | null {
  if (!interactive || !yes.test(plainLetters(name).trim())) return null;
  for (const { interactive: takesInput, name: text, bounds: at } of elements) {
    if (takesInput || !text.includes('?')) continue;
    // A text may ask one thing and tell another.
    const kind = isBeside({ bounds }, { bounds: at })
      ? effectOfName(
          text
            .split(/(?<=[.!?])\s+/)
            .filter((one) => one.endsWith('?'))
            .join(' '),
        )
      : null;
    if (kind) return kind;
  }
  return null;
}
