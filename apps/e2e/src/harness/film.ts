/** A picture, pixel by pixel. */
interface Pixels {
  readonly width: number;
  readonly height: number;
  at(x: number, y: number): readonly [red: number, green: number, blue: number];
}

/** The frames of a run's live view, as they come, to its end. */
export async function* framesOf({ body }: Response): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const chunk of body ?? []) {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const [head, length] = /Content-Length: (\d+)\r\n\r\n/.exec(rest.toString('latin1')) ?? [];
      if (head === undefined) break;
      const begin = rest.indexOf(head) + head.length;
      const end = begin + Number(length);
      if (rest.length < end) break;
      yield rest.subarray(begin, end);
      rest = rest.subarray(end);
    }
  }
}

/** What most of a picture is. */
export function colourOf(pixels: Pixels): string {
  const [red, , blue] = pixels.at(pixels.width >> 1, pixels.height >> 2);
  return red > 200 && blue < 60 ? 'red' : blue > 200 && red < 60 ? 'blue' : 'other';
}
