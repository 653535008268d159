import { passwordSchema } from '@pilothouse/contract/project/user.schema';
import { dictionary } from '@zxcvbn-ts/language-common';
import { validationError } from '../http/request-validation.ts';

const commonPasswords: ReadonlySet<string> = new Set(dictionary['passwords-common']);

/** Minimum number of different characters in a password. */
const MIN_DISTINCT_CHARS = 5;

/** Minimum length of a common password that is also rejected when repeated or surrounded by digits and signs. */
const MIN_CORE_CHARS = 5;

/**
 * Checks a new password.
 * @throws PilothouseError VALIDATION_FAILED at `/password`
 */
export function checkPassword(password: string, email: string): void {
  const detail = problemOf(password, email);
  if (detail !== null) throw validationError('body', [{ pointer: '/password', detail }]);
}

function problemOf(password: string, email: string): string | null {
  const parsed = passwordSchema.safeParse(password);
  if (!parsed.success) return parsed.error.issues[0]?.message ?? '';
  const plain = password.normalize('NFKC').toLowerCase();
  if (new Set(plain).size < MIN_DISTINCT_CHARS) return `Use at least ${MIN_DISTINCT_CHARS} different characters`;
  if (/^\d+$/.test(plain)) return 'Use letters too; a password of digits is easy to guess.';
  if (isCommon(plain)) return 'This password is too common. Choose another, such as a sentence.';
  const [local = ''] = email.toLowerCase().split('@');
  const isOwnAddress = plain.includes(email.toLowerCase()) || coreOf(plain) === local;
  return isOwnAddress ? 'Do not use your e-mail address as the password' : null;
}

/** Returns whether the password is common: as it is, repeated, or surrounded by digits and signs. */
function isCommon(plain: string): boolean {
  const core = coreOf(plain);
  return [plain, unitOf(plain), core, unitOf(core)].some(
    (candidate) => commonPasswords.has(candidate) && (candidate === plain || candidate.length >= MIN_CORE_CHARS),
  );
}

/** Removes digits and signs at both ends. */
function coreOf(plain: string): string {
  const isLetter = (character: string) => /\p{L}/u.test(character);
  const characters = [...plain];
  const first = characters.findIndex(isLetter);
  return first < 0 ? '' : characters.slice(first, characters.findLastIndex(isLetter) + 1).join('');
}

/** Returns the shortest text whose repetition is this text. */
function unitOf(text: string): string {
  const length = (text + text).indexOf(text, 1);
  return length < 0 ? text : text.slice(0, length);
}
