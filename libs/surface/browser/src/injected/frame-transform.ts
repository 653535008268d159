/// <reference lib="dom" />
import type { plain } from './native-properties.ts';

type Plain = typeof plain;

/** Maps points of a frame to the document around it: `x' = a x + c y + e`, `y' = b x + d y + f`. CSS pixels. */
export interface FrameMap {
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly d: number;
  readonly e: number;
  readonly f: number;
}

/**
 * Where the content of a frame element is in the view of its document, under the transforms of the element and of all around it.
 * Perspective is not considered. Runs in the page: it may use nothing but its arguments.
 */
export function frameMap(element: Element, plain: Plain): FrameMap {
  const around = (node: Element): Element | null => {
    const own = plain(node);
    return own.assignedSlot ?? own.parentElement ?? (own.getRootNode() as Partial<ShadowRoot>).host ?? null;
  };
  const rotation = (text: string) => {
    const parts = text.split(' ');
    if (text === 'none') return '';
    if (parts.length === 1) return `rotate(${text})`;
    if (parts.length === 2) return `rotate${(parts[0] ?? '').toUpperCase()}(${parts[1] ?? ''})`;
    return `rotate3d(${parts.join(',')})`;
  };
  let all = new DOMMatrix();
  for (let node: Element | null = element; node; node = around(node)) {
    const { transform, scale, rotate, transformStyle } = getComputedStyle(node);
    const grown = scale.split(' ');
    const own = new DOMMatrix(
      [
        rotation(rotate),
        scale === 'none' ? '' : grown.length === 3 ? `scale3d(${grown.join(',')})` : `scale(${grown.join(',')})`,
        transform === 'none' ? '' : transform,
      ]
        .filter((part) => part !== '')
        .join(' '),
    );
    const isFlat = transformStyle !== 'preserve-3d';
    all = (isFlat ? new DOMMatrix([own.a, own.b, own.c, own.d, 0, 0]) : own).multiply(all);
  }
  const style = getComputedStyle(element);
  const { offsetWidth: width, offsetHeight: height } = element as HTMLElement;
  const rect = element.getBoundingClientRect();
  const xs = [0, all.a * width, all.c * height, all.a * width + all.c * height];
  const ys = [0, all.b * width, all.d * height, all.b * width + all.d * height];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  /* What else makes it larger or smaller, such as `zoom`. */
  const across = rect.width / (Math.max(...xs) - left) || 1;
  const down = rect.height / (Math.max(...ys) - top) || 1;
  const [a, b, c, d] = [all.a * across, all.b * down, all.c * across, all.d * down];
  const insetX = element.clientLeft + parseFloat(style.paddingLeft);
  const insetY = element.clientTop + parseFloat(style.paddingTop);
  return {
    a,
    b,
    c,
    d,
    e: rect.left - left * across + a * insetX + c * insetY,
    f: rect.top - top * down + b * insetX + d * insetY,
  };
}
