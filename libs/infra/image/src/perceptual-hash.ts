import { loadSharp } from './sharp-library.ts';

/** Side of the gray image, and of the low frequencies that make the hash. */
const SIDE = 32;
const LOW = 8;

/** Cosines of the first frequencies. */
const COSINES = Array.from({ length: LOW + 1 }, (_, frequency) =>
  Float64Array.from({ length: SIDE }, (_, position) =>
    Math.cos(((2 * position + 1) * frequency * Math.PI) / (2 * SIDE)),
  ),
);

/**
 * Perceptual hash of an image: 64 bits as hex. Each bit tells if a low frequency of the gray image is above the median. The same image
 * in another size or compression differs in few bits. It does not see small texts: compare these by a hash of their own.
 * @throws Error when the data is not an image
 */
export async function perceptualHash(image: Buffer): Promise<string> {
  const sharp = await loadSharp();
  const gray = await sharp(image).resize(SIDE, SIDE, { fit: 'fill', kernel: 'cubic' }).grayscale().raw().toBuffer();
  const frequencies = lowFrequencies(gray);
  const median = frequencies.toSorted((left, right) => left - right)[frequencies.length / 2] ?? 0;
  let hash = 0n;
  for (const value of frequencies) hash = (hash << 1n) | (value > median ? 1n : 0n);
  return hash.toString(16).padStart(16, '0');
}

/** The frequencies 1 to 8 of both axes by a discrete cosine transform. Frequency 0, the brightness, is left out. */
function lowFrequencies(gray: Uint8Array): number[] {
  // Rows first: 8 frequencies of each row.
  const rows = COSINES.slice(1).map((cosine) =>
    Float64Array.from({ length: SIDE }, (_, y) => {
      let sum = 0;
      for (let x = 0; x < SIDE; x += 1) sum += (gray[y * SIDE + x] ?? 0) * (cosine[x] ?? 0);
      return sum;
    }),
  );
  return COSINES.slice(1).flatMap((cosine) =>
    rows.map((row) => row.reduce((sum, value, y) => sum + value * (cosine[y] ?? 0), 0)),
  );
}
