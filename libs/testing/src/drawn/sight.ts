import type { Pixels } from '../pixels.ts';

/** Where most of the red of an image is, in thousandths of its size; null: there is none. Marks and other colours do not count. */
export function findRed({ width, height, at }: Pixels): { x: number; y: number } | null {
  return middleOf(width, height, (x, y) => {
    const [red, green, blue] = at(x, y);
    return red > 180 && green < 60 && blue < 30;
  });
}

/** Whether most of the upper left quarter of an image is green. */
export function isGreen({ width, height, at }: Pixels): boolean {
  const [red, green, blue] = at(Math.round(width / 8), Math.round(height / 8));
  return green > 120 && red < 60 && blue < 60;
}

function middleOf(width: number, height: number, isMeant: (x: number, y: number) => boolean) {
  let [count, left, top] = [0, 0, 0];
  for (let y = 0; y < height; y += 4)
    for (let x = 0; x < width; x += 4)
      if (isMeant(x, y)) {
        count += 1;
        left += x;
        top += y;
      }
  // Fewer are the edges of letters.
  if (count < 20) return null;
  return { x: Math.round((1000 * left) / count / width), y: Math.round((1000 * top) / count / height) };
}
