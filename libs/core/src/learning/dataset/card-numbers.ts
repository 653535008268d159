/** A text without secrets, and the number of replacements. */
export interface RedactedText {
  readonly text: string;
  readonly count: number;
}

/** True for the digits of a payment card: 13 to 19 with a valid check digit (Luhn). */
export function isCardNumber(digits: string): boolean {
  if (digits.length < 13 || digits.length > 19) return false;
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index]);
    const weighted = index % 2 === 0 ? digit : digit * 2;
    sum += weighted > 9 ? weighted - 9 : weighted;
  }
  return sum % 10 === 0 && sum > 0;
}

/** Groups of digits, joined by one blank or hyphen each. */
const DIGIT_GROUPS = /\d+(?:[ -]\d+)*/g;

/** Maximum number of groups in which a card number is written. */
const MAX_GROUPS = 5;

/** Replaces card numbers, with blanks or hyphens between their groups. Its time is linear in the length of the text. */
export function replaceCardNumbers(text: string): RedactedText {
  let count = 0;
  const redacted = text.replace(DIGIT_GROUPS, (digits) => {
    if (digits.length < 13) return digits;
    const groups = digits.split(/([ -])/);
    let result = '';
    for (let index = 0; index < groups.length; index += 2) {
      const length = cardGroups(groups, index);
      if (length > 0) count += 1;
      const last = index + 2 * Math.max(0, length - 1);
      result += (length > 0 ? '[card]' : (groups[index] ?? '')) + (groups[last + 1] ?? '');
      index = last;
    }
    return result;
  });
  return { text: redacted, count };
}

/** Number of groups that form a card number, from an index on; 0: no card number. */
function cardGroups(groups: readonly string[], start: number): number {
  let digits = '';
  for (let length = 1; length <= MAX_GROUPS; length += 1) {
    digits += groups[start + 2 * (length - 1)] ?? '';
    if (isCardNumber(digits)) return length;
  }
  return 0;
}
