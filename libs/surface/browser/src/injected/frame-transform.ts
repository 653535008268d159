/// <reference lib="dom" />
import type { plain } from '@pilothouse/surface-page-elements';

type Plain = typeof plain;

/** Maps points of a frame to its parent document: `x' = a x + c y + e`, `y' = b x + d y + f`. CSS pixels. */
export interface FrameMap {
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly d: number;
  readonly e: number;
  readonly f: number;
}

/**
 * Computes the position of the content of a frame element in its document, with the transforms of the element and its
 * ancestors. Perspective is ignored. Runs in the page and may use only its arguments.
 */
export function frameMap(element: Element, plain: Plain): FrameMap {
  const parentOf = (node: Element): Element | null => {
    const native = plain(node);
    return native.assignedSlot ?? native.parentElement ?? (native.getRootNode() as Partial<ShadowRoot>).host ?? null;
  };
  const rotation = (text: string) => {
    const components = text.split(' ');
    if (text === 'none') return '';
    if (components.length === 1) return `rotate(${text})`;
    if (components.length === 2) return `rotate${(components[0] ?? '').toUpperCase()}(${components[1] ?? ''})`;
    return `rotate3d(${components.join(',')})`;
  };
  let matrix = new DOMMatrix();
  for (let node: Element | null = element; node; node = parentOf(node)) {
    const { transform, scale, rotate, transformStyle } = getComputedStyle(node);
    const factors = scale.split(' ');
    const ownTransform = new DOMMatrix(
      [
        rotation(rotate),
        scale === 'none' ? '' : factors.length === 3 ? `scale3d(${factors.join(',')})` : `scale(${factors.join(',')})`,
        transform === 'none' ? '' : transform,
      ]
        .filter((part) => part !== '')
        .join(' '),
    );
    const isFlat = transformStyle !== 'preserve-3d';
    matrix = (
      isFlat ? new DOMMatrix([ownTransform.a, ownTransform.b, ownTransform.c, ownTransform.d, 0, 0]) : ownTransform
    ).multiply(matrix);
  }
  const style = getComputedStyle(element);
  const { offsetWidth: width, offsetHeight: height } = element as HTMLElement;
  const rect = element.getBoundingClientRect();
  const xs = [0, matrix.a * width, matrix.c * height, matrix.a * width + matrix.c * height];
  const ys = [0, matrix.b * width, matrix.d * height, matrix.b * width + matrix.d * height];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  // Other scaling, such as `zoom`.
  const scaleX = rect.width / (Math.max(...xs) - left) || 1;
  const scaleY = rect.height / (Math.max(...ys) - top) || 1;
  const [a, b, c, d] = [matrix.a * scaleX, matrix.b * scaleY, matrix.c * scaleX, matrix.d * scaleY];
  const insetX = element.clientLeft + parseFloat(style.paddingLeft);
  const insetY = element.clientTop + parseFloat(style.paddingTop);
  return {
    a,
    b,
    c,
    d,
    e: rect.left - left * scaleX + a * insetX + c * insetY,
    f: rect.top - top * scaleY + b * insetX + d * insetY,
  };
}
