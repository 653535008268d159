/** An image, pixel by pixel. */
interface Pixels {
  readonly width: number;
  readonly height: number;
  at(x: number, y: number): readonly [red: number, green: number, blue: number];
}

const HEAD = '\r\n\r\n';
/** The frames of a run's live view, as they come, to its end. */
export async function* framesOf({ body, headers }: Response): AsyncGenerator<Buffer> {
  const end = `\r\n--${headers.get('content-type')?.split('boundary=')[1] ?? ''}\r\n`;
  let rest = Buffer.alloc(0);
  for await (const chunk of body ?? []) {
    rest = Buffer.concat([rest, chunk]);
    for (let index = rest.indexOf(end); index >= 0; index = rest.indexOf(end)) {
      yield rest.subarray(rest.indexOf(HEAD) + HEAD.length, index);
      rest = rest.subarray(index + end.length);
    }
  }
}

/** Most frequent color of an image. */
export function colorOf(pixels: Pixels): string {
  const [red, , blue] = pixels.at(pixels.width >> 1, pixels.height >> 2);
  return red > 200 && blue < 60 ? 'red' : blue > 200 && red < 60 ? 'blue' : 'other';
}
