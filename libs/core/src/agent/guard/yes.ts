import type { ElementView, ApprovalEffect, Observation } from '@pilothouse/contract';
import { plainLetters } from './look-alikes.ts';
import { effectOfName } from './words.ts';

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
