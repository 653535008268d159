import type { ElementView, Observation } from '@pilothouse/contract/observation/observation.schema';
import { describeElement, elementLine, observationText, truncateWithLength } from './observation-text.ts';

/** Difference of the elements of two observations of one page. */
export interface ObservationDiff {
  readonly added: ElementView[];
  readonly changed: ElementView[];
  readonly removed: ElementView[];
}

/** Added, changed and removed elements. Positions are ignored, so scrolling changes nothing. */
export function compareObservations(previous: Observation, next: Observation): ObservationDiff {
  const previousElements = new Map(previous.elements.map((element) => [element.index, element]));
  const nextIndexes = new Set(next.elements.map(({ index }) => index));
  return {
    added: next.elements.filter(({ index }) => !previousElements.has(index)),
    changed: next.elements.filter((element) => {
      const previousElement = previousElements.get(element.index);
      return (
        previousElement !== undefined &&
        (elementLine(previousElement) !== elementLine(element) || previousElement.frame !== element.frame)
      );
    }),
    removed: previous.elements.filter(({ index }) => !nextIndexes.has(index)),
  };
}

/**
 * Short summary of changes that the text of `next` does not show: new and changed indexes, and removed elements.
 * @param next observation of the same document
 */
export function describeChanges(previous: Observation, next: Observation): string {
  const { added, changed, removed } = compareObservations(previous, next);
  const numbers = (elements: readonly ElementView[]) => elements.map(({ index }) => index).join(' ');
  return [
    ...(previous.url === next.url ? [] : ['the address changed']),
    ...(added.length > 0 ? [`new: ${numbers(added)}`] : []),
    ...(changed.length > 0 ? [`other: ${numbers(changed)}`] : []),
    ...(removed.length > 0 ? [`gone: ${removed.map(describeElement).join('; ')}`] : []),
  ].join('\n');
}

/**
 * Added (`+`), changed (`~`) and removed (`-`) elements as text for a model. For another document the whole text, because its indexes
 * start again.
 */
export function diffObservations(previous: Observation, next: Observation): string {
  if (previous.document !== next.document) return observationText(next);
  const { added, changed, removed } = compareObservations(previous, next);
  const lines = [
    ...(previous.url === next.url ? [] : [`address ${truncateWithLength(next.url, 120)}`]),
    ...(previous.title === next.title ? [] : [`title ${truncateWithLength(next.title, 80)}`]),
    ...(previous.loading === next.loading ? [] : [next.loading ? 'loading' : 'loaded']),
    ...(previous.focused === next.focused ? [] : [next.focused === null ? 'no focus' : `focus ${next.focused}`]),
    ...removed.map((element) => `- [${element.index}] ${describeElement(element)}`),
    ...changed.map((element) => `~ ${elementLine(element)}`),
    ...added.map((element) => `+ ${elementLine(element)}`),
  ];
  return lines.length > 0 ? lines.join('\n') : 'nothing changed';
}
