import type { ElementView, GuardKind, Observation } from '@pilothouse/contract';
import { plainLetters } from './look-alikes.ts';
import { kindOfName } from './words.ts';

/* A control that only says yes: what it does stands in the question beside it. */

const yes =
  /^(?:yes\b.*|ok(?:ay)?|confirm|continue|proceed|go ahead|i(?:'m| am) sure|do it|go|apply|ja\b.*|bestatigen|fortfahren|weiter|oui\b.*|confirmer|continuer|si\b.*|confirmar|continuar|conferma|continua)[.!]?$/iu;

/** Pixels from a control within which a question may be about it. */
const BESIDE = 300;

/** Which kind of what cannot be taken back the page asks about beside a control that says yes; null: it says something else, or nothing is asked. */
export function kindOfYes({ name, bounds, interactive }: ElementView, { elements }: Observation): GuardKind | null {
  if (!interactive || !yes.test(plainLetters(name).trim())) return null;
  const gap = (from: number, length: number, other: number, its: number) =>
    Math.max(0, other - (from + length), from - (other + its));
  for (const { interactive: takesInput, name: text, bounds: at } of elements) {
    if (takesInput || !text.includes('?')) continue;
    const isBeside =
      gap(bounds.x, bounds.width, at.x, at.width) <= BESIDE && gap(bounds.y, bounds.height, at.y, at.height) <= BESIDE;
    // A text may ask one thing and tell another.
    const kind = isBeside
      ? kindOfName(
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
