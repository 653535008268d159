import { passwordSchema } from '@pilothouse/contract';
import { dictionary } from '@zxcvbn-ts/language-common';
import { validationError } from '../http/request-validation.ts';

const common: ReadonlySet<string> = new Set(dictionary['passwords-common']);

/** Fewest different characters of a password. */
const MIN_DIFFERENT = 5;

/** Shortest common password whose repetition or decoration with digits and signs is refused too. */
const MIN_CORE = 5;

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
  if (new Set(plain).size < MIN_DIFFERENT) return `Use at least ${MIN_DIFFERENT} different characters`;
  if (/^\d+$/.test(plain)) return 'Use letters too: passwords of digits are guessed first';
  if (isCommon(plain)) return 'This password is one of the most common ones: choose another, such as a sentence';
  const [local = ''] = email.toLowerCase().split('@');
  const isOwn = plain.includes(email.toLowerCase()) || coreOf(plain) === local;
  return isOwn ? 'Do not use your e-mail address as the password' : null;
}

/** Whether it is on the list: as it is, more than once, or with digits and signs around it. */
function isCommon(plain: string): boolean {
  const core = coreOf(plain);
  return [plain, unitOf(plain), core, unitOf(core)].some(
    (word) => common.has(word) && (word === plain || word.length >= MIN_CORE),
  );
}

/** The letters between digits and signs at either end. */
function coreOf(plain: string): string {
  const isLetter = (character: string) => /\p{L}/u.test(character);
  const characters = [...plain];
  const first = characters.findIndex(isLetter);
  return first < 0 ? '' : characters.slice(first, characters.findLastIndex(isLetter) + 1).join('');
}

/** The shortest text that repeated makes this one. */
function unitOf(text: string): string {
  const at = (text + text).indexOf(text, 1);
  return at < 0 ? text : text.slice(0, at);
}
