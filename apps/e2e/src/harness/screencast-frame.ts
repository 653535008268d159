/** An image, pixel by pixel. */
interface Pixels {
  readonly width: number;
  readonly height: number;
  at(x: number, y: number): readonly [red: number, green: number, blue: number];
}

const HEAD = '\r\n\r\n';
const END = '\r\n--pilothouse-frame\r\n';

/** The frames of a run's live view, as they come, to its end. */
export async function* framesOf({ body }: Response): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const chunk of body ?? []) {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(END); end >= 0; end = rest.indexOf(END)) {
      yield rest.subarray(rest.indexOf(HEAD) + HEAD.length, end);
      rest = rest.subarray(end + END.length);
    }
  }
}

/** Most frequent color of an image. */
export function colorOf(pixels: Pixels): string {
  const [red, , blue] = pixels.at(pixels.width >> 1, pixels.height >> 2);
  return red > 200 && blue < 60 ? 'red' : blue > 200 && red < 60 ? 'blue' : 'other';
}
