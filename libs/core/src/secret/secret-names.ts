import type { Locator } from '@pilothouse/contract/actions/locator.schema';

/* Fields whose content is secret or identifies a person, by their names. A password field is secret without its name. */

const PASSWORDS =
  'pass(?:word|wort|code|phrase|wd)|kennwort|mot de passe|contrase[nñ]a|geheimzahl|social security|(?<![a-z])one.?time.?(?:code|pin)(?![a-z])';
const TOKENS =
  '(?<![a-z])(?:(?:access|api|auth|bearer|session|security) ?)?token(?![a-z])|(?<![a-z])(?:(?:client|app|api|shared) ?)?secrets?(?![a-z])';
const SHORT_NAMES = '(?<![a-z])(?:pin|pin ?codes?|puk|cv[vc] ?2?|cvn|otp|totp|[12m]fa|ssn|iban)(?![a-z])';
const CODES =
  '(?:security|verification|recovery|backup|access|login|sms|authenticat(?:or|ion)) ?codes?(?![a-z])|(?:sicherheits|best[äa]tigungs|pr[üu]f|freigabe|einmal) ?(?:code|ziffer|nummer)';
/** Words after a card that name its numbers. `Credit card type` names none. */
const CARD_NUMBERS = '(?:number|num|no|nummer|nr|cv[vc] ?2?|cvn|code|pin|expiry|expiration|details|data)';
const CARDS = `(?:(?:credit|debit) ?card|(?:kredit|giro) ?karten?)(?! ?(?!${CARD_NUMBERS}(?![a-z]))[a-z])|(?<![a-z])card ?(?:number|num|no|nr)(?![a-z])|karten ?nummer`;
const KEYS = '(?:api.?|(?:private|access|licen[cs]e|secret) ?)keys?(?![a-z])';
const SECRET_NAME = new RegExp(`${PASSWORDS}|${TOKENS}|${SHORT_NAMES}|${CODES}|${CARDS}|${KEYS}`, 'i');

/** Transaction numbers of banks. In lower case it is a color and a name. */
const TRANSACTION_NUMBER = /\b(?:m|push|photo|chip)?TAN\b/;

/** True if the text contains the name of a secret field, e.g. `Your PIN`, `card_number` or `oneTimeCode`. */
export function hasSecretName(text: string): boolean {
  if (TRANSACTION_NUMBER.test(text)) return true;
  const words = text.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2').replaceAll(/[_-]/g, ' ');
  return SECRET_NAME.test(words) || SECRET_NAME.test(text);
}

/** Roles of elements that take text. */
export const fieldRoles: ReadonlySet<string> = new Set([
  'textbox',
  'searchbox',
  'combobox',
  'spinbutton',
  'password',
  'entry',
  'text',
]);

/** True if a locator names a secret field. The field need not exist. */
export const namesSecretField = ({ role, name, label, placeholder }: Locator): boolean =>
  (role === undefined || fieldRoles.has(role)) &&
  [name, label, placeholder].some((text) => text !== undefined && hasSecretName(text));
