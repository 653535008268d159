import type { ElementView, Observation } from '@pilothouse/contract/observation/observation.schema';
import type { ApprovalEffect } from '@pilothouse/contract/workflow/goal.schema';
import { plainLetters, readings } from './confusable-letters.ts';

/*
 * Names of controls with irreversible effects, in the supported languages. The list is incomplete: other names are not detected. See
 * docs/concepts/agents.md.
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

/** Matches whole words only: `pay` does not match `payment methods`. */
const wordPattern = (words: readonly string[]) => {
  const ALTERNATIVES = words.map(plainLetters).join('|');
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${ALTERNATIVES})(?![\\p{L}\\p{N}])`, 'iu');
};

/** Patterns by effect. The first match wins. */
const EFFECT_PATTERNS = [
  ['pay', wordPattern(pay)],
  ['delete', wordPattern(remove)],
  ['send', wordPattern(send)],
] as const;

/** Irreversible effect of a control with this name, including look-alike letters; null: none known. */
export function effectOfName(name: string): ApprovalEffect | null {
  const readableForms = readings(name);
  return EFFECT_PATTERNS.find(([, names]) => readableForms.some((form) => names.test(form)))?.[0] ?? null;
}

/*
 * Effects in URLs. Opening a page should have no effect, but some sites break this rule: `/orders/17/delete`, `?action=pay`. Only whole path
 * segments count: `/help/how-to-delete` has no effect.
 */

const words: readonly (readonly [ApprovalEffect, readonly string[]])[] = [
  ['pay', ['pay', 'buy', 'purchase', 'place-order', 'confirm-order', 'order-now']],
  ['delete', ['delete', 'remove', 'destroy', 'erase', 'deactivate', 'close-account', 'delete-account', 'unsubscribe']],
  ['send', ['send', 'publish', 'send-message']],
];

/** Query parameters whose value names an effect: `?action=delete`. */
const ACTION_PARAMETERS: ReadonlySet<string> = new Set([
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

/** Values of a query parameter whose name is the effect. */
const TRUE_VALUES: ReadonlySet<string> = new Set(['', '1', 'true', 'yes']);

/** Irreversible effect that a URL names; null: none, or the URL is invalid. */
export function effectOfUrl(url: string): ApprovalEffect | null {
  const parsedUrl = URL.parse(url);
  if (!parsedUrl || !/^https?:$/.test(parsedUrl.protocol)) return null;
  const parameterWords = [...parsedUrl.searchParams].flatMap(([name, value]) => {
    if (ACTION_PARAMETERS.has(name.toLowerCase())) return [value];
    return TRUE_VALUES.has(value.toLowerCase()) ? [name] : [];
  });
  const urlWords = [...parsedUrl.pathname.split('/'), ...parameterWords].map(normalizePart);
  return words.find(([, names]) => names.some((name) => urlWords.includes(name)))?.[0] ?? null;
}

/** `placeOrder.php` → `place-order`. Decodes percent-encoding and look-alike letters. */
const normalizePart = (part: string): string =>
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

/* Confirmation controls ("OK", "Yes"). The question beside them names the effect. */

const CONFIRM_NAMES =
  /^(?:yes\b.*|ok(?:ay)?|confirm|continue|proceed|go ahead|i(?:'m| am) sure|do it|go|apply|ja\b.*|bestatigen|fortfahren|weiter|oui\b.*|confirmer|continuer|si\b.*|confirmar|continuar|conferma|continua|replace(?: file)?|overwrite|ersetzen|uberschreiben|remplacer|ecraser|reemplazar|sobrescribir|sostituisci|sovrascrivi)[.!]?$/iu;

/** Questions whether to replace a file. */
const REPLACE_QUESTION =
  /\b(?:replace|overwrite) (?:it|them|this file|the file|the existing file)\?|\b(?:ersetzen|uberschreiben|remplacer|ecraser|reemplazar|sobrescribir|sostituire|sovrascrivere)\b[^?]{0,80}\?/iu;

/** Maximum pixels between a control and its question. */
const MAX_DISTANCE_PX = 300;

/** True if two elements are close enough for one to describe the other. */
export function isBeside(
  { bounds: first }: Pick<ElementView, 'bounds'>,
  { bounds: second }: Pick<ElementView, 'bounds'>,
) {
  const gap = (start: number, length: number, otherStart: number, otherLength: number) =>
    Math.max(0, otherStart - (start + length), start - (otherStart + otherLength));
  return (
    gap(first.x, first.width, second.x, second.width) <= MAX_DISTANCE_PX &&
    gap(first.y, first.height, second.y, second.height) <= MAX_DISTANCE_PX
  );
}

/** Irreversible effect in the question beside a confirmation control; null: not such a control, or no such question. */
export function effectOfConfirmation(
  { name, bounds, interactive }: ElementView,
  { elements }: Observation,
): ApprovalEffect | null {
  if (!interactive || !CONFIRM_NAMES.test(plainLetters(name).trim())) return null;
  for (const { interactive: isInteractive, name: text, bounds: textBounds } of elements) {
    if (isInteractive || !text.includes('?')) continue;
    // One text may contain several questions and statements.
    const kind = isBeside({ bounds }, { bounds: textBounds }) ? effectOfQuestions(text) : null;
    if (kind) return kind;
  }
  return null;
}

/** Irreversible effect in the questions of a text; null: none known. */
function effectOfQuestions(text: string): ApprovalEffect | null {
  const questions = text
    .split(/(?<=[.!?])\s+/)
    .filter((sentence) => sentence.endsWith('?'))
    .join(' ');
  return effectOfName(questions) ?? (REPLACE_QUESTION.test(plainLetters(questions)) ? 'delete' : null);
}
