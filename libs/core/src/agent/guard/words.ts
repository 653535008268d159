import type { ApprovalEffect } from '@pilothouse/contract';
import { plainLetters, readings } from './look-alikes.ts';

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
