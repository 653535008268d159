/// <reference lib="dom" />
import { plain } from '@pilothouse/surface-page-elements/page';

const GEOMETRY = /^(?:transform|translate|scale|rotate|offset|inset|left|top|right|bottom|width|height|margin|padding)/;

/** True if a property of a keyframe moves or resizes its element. */
export const isGeometry = (property: string): boolean => GEOMETRY.test(property);

/** True if a running animation moves the element. */
export const isAnimated = (element: Element): boolean =>
  document.getAnimations().some(({ playState, effect }) => {
    if (playState !== 'running' || !(effect instanceof KeyframeEffect) || !effect.target) return false;
    if (!plain(effect.target).contains(element)) return false;
    return effect.getKeyframes().some((frame) => Object.keys(frame).some(isGeometry));
  });

/** Returns the box of an element as text. */
export const boxKeyOf = (element: Element): string => {
  const { x, y, width, height } = plain(element).getBoundingClientRect();
  return `${x} ${y} ${width} ${height}`;
};

/** Waits for the next frame of the page, up to 100 ms: a page that is not painted has no animation frames. */
export const nextFrame = (): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, 100);
    requestAnimationFrame(() => {
      clearTimeout(timer);
      resolve();
    });
  });
