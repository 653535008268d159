import type { Observation, ObservationLevel } from '@pilothouse/contract';
import { cut, elementLine } from './words.ts';

/** Characters of an address in the head of the list. */
const ADDRESS = 120;

/**
 * What was seen, as a text for a model: where it is, then one element a line under the number that actions use.
 * @param level how much of it is told (default: all there is): `interactive` has only what takes input; `page` the text of the page, too
 */
export function observationText(observation: Observation, level: ObservationLevel = 'page'): string {
  const { elements, unseen, text } = observation;
  const shown = level === 'interactive' ? elements.filter(({ interactive }) => interactive) : elements;
  const lines = [...head(observation)];
  let frame: string | undefined;
  for (const element of shown) {
    if (element.frame !== frame)
      lines.push(element.frame === undefined ? 'page:' : `frame ${cut(element.frame, ADDRESS)}:`);
    frame = element.frame;
    lines.push(elementLine(element));
  }
  if (shown.length === 0) lines.push(level === 'interactive' ? 'nothing takes input here' : 'nothing is in view');
  for (const { what, name, bounds } of unseen) {
    lines.push(
      `unseen: ${what.replaceAll('-', ' ')}${name ? ` ${cut(name, 60)}` : ''}, ${bounds.width}×${bounds.height} at ${bounds.x},${bounds.y}`,
    );
  }
  if (level === 'page' && text) lines.push('text of the page:', cut(text.text, text.text.length, text.length));
  return lines.join('\n');
}

/** Where it is: address and title, whether it is loading, what has the focus, and how much of the page is out of view. */
function head({ url, title, loading, focused, scroll, elements }: Observation): string[] {
  const lines = [title ? `${cut(title, 80)} ${cut(url, ADDRESS)}` : cut(url, ADDRESS)];
  const facts: string[] = [];
  if (loading) facts.push('loading');
  if (focused !== null && elements.some(({ index }) => index === focused)) facts.push(`focus ${focused}`);
  if (scroll.above > 0) facts.push(`${scroll.above} px above`);
  if (scroll.below > 0) facts.push(`${scroll.below} px below`);
  if (facts.length > 0) lines.push(facts.join(', '));
  return lines;
}
