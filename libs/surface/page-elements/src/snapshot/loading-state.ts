/// <reference lib="dom" />
import type { SnapshotElement } from './snapshot-result.ts';
import type { Visibility } from './visibility.ts';
import { plain } from './native-properties.ts';

/** Visible area of the document. */
type Limits = Parameters<Visibility['clip']>[1];

/** Determines whether the page is about to change. */
export function loadingState(visibility: Visibility) {
  const loadingTexts =
    /^(?:loading|please wait|one moment|just a moment|wird geladen|laden|lädt|bitte warten|chargement|veuillez patienter|cargando|caricamento)\b[^.?]{0,40}(?:\.{1,3}|…)?$/i;

  /** True if a visible box covers a share of an area. */
  const coversShare = (element: Element, limits: Limits, share: number) => {
    const native = plain(element);
    const box = visibility.clip(native.getBoundingClientRect(), limits);
    const area = (limits.right - limits.left) * (limits.bottom - limits.top);
    return box !== null && (box.right - box.left) * (box.bottom - box.top) >= area * share && native.checkVisibility();
  };

  /** True if the page shows progress or a large transition, so that the list is about to change. */
  const isBusy = (limits: Limits, elementList: readonly SnapshotElement[]): boolean => {
    for (const element of document.querySelectorAll('[aria-busy="true"]'))
      if (coversShare(element, limits, 0.25)) return true;
    const isInTransition = document.getAnimations().some(({ playState, effect, currentTime }) => {
      if (playState !== 'running' || !(effect instanceof KeyframeEffect) || !effect.target) return false;
      const end = Number(effect.getComputedTiming().endTime);
      return end - Number(currentTime ?? 0) <= 1000 && coversShare(effect.target, limits, 0.5);
    });
    if (isInTransition) return true;
    // A page that accepts input has loaded, even if it shows a spinner.
    if (elementList.some(({ interactive, state }) => interactive && !state.disabled)) return false;
    const texts = elementList.filter(({ interactive, name }) => !interactive && name);
    if (texts.length > 0) return texts.length <= 3 && texts.some(({ name }) => loadingTexts.test(name));
    const spinners = 'progress:not([value]), [role="progressbar"]:not([aria-valuenow])';
    return [...document.querySelectorAll(spinners)].some((element) => coversShare(element, limits, 0));
  };

  return { isBusy };
}

export type LoadingState = ReturnType<typeof loadingState>;
