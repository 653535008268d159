import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { Screenshot } from '@pilothouse/core/ports/surface-action.port';
import { pixelsOf, type Pixels } from '@pilothouse/testing/decode-pixels';
import { expectFailure, output, startKit, testContext, type SurfaceKit } from './testing/browser-test-kit.ts';

let kit: SurfaceKit;
beforeAll(async () => {
  kit = await startKit({});
});
afterAll(() => kit.close());

/** Performs an action. @returns the screenshots before it */
async function imagesBefore(
  surface: Awaited<ReturnType<SurfaceKit['showPage']>>,
  action: Action,
): Promise<Screenshot[]> {
  const images: Screenshot[] = [];
  await kit.act(surface, action, testContext(10_000, { onPreActionScreenshot: (image) => void images.push(image) }));
  return images;
}

/** True if the outline of a mark passes a point. JPEG blurs it over adjacent pixels. */
function isMarked({ at: pixelAt }: Pixels, x: number, y: number): boolean {
  const around = [-2, -1, 0, 1, 2].flatMap((dx) => [-2, -1, 0, 1, 2].map((dy) => pixelAt(x + dx, y + dy)));
  return around.some(([red, green, blue]) => red > 140 && green < 90 && blue < 150);
}

const styled = (style: string) =>
  `position: absolute; ${style}; width: 100px; height: 40px; border: 0; background: #fff`;

describe('screenshot before an action', () => {
  test('marks the target invisibly to the page and removes the mark', async () => {
    const surface = await kit.showPage(`<body style="margin: 0; background: #fff">
      <button style="${styled('left: 300px; top: 200px')}" onclick="out.textContent = document.documentElement.outerHTML.length - size">Go</button>
      <output id="out"></output><script>const size = document.documentElement.outerHTML.length;</script>`);
    const [image, ...others] = await imagesBefore(surface, { action: 'click', target: { role: 'button' } });
    expect(others).toEqual([]);
    expect(image).toMatchObject({ contentType: 'image/jpeg', width: 1280, height: 800 });
    const pixels = pixelsOf(image?.body ?? Buffer.alloc(0));
    const { at: pixelAt } = pixels;
    for (const [x, y] of [
      [297, 220],
      [402, 220],
      [350, 197],
      [350, 242],
    ] as const)
      expect(isMarked(pixels, x, y)).toBe(true);
    // The page is visible inside the mark and unchanged outside.
    expect(pixelAt(310, 230)[1]).toBeGreaterThan(180);
    expect(pixelAt(280, 220)).toEqual([255, 255, 255]);
    expect(await output(kit, surface)).toBe('0');
    const unmarked = await surface.screenshot({}, testContext(5000));
    expect(pixelsOf(unmarked.body).at(310, 238)).toEqual([255, 255, 255]);
    await surface.close();
  });

  test('marks a target in a frame', async () => {
    kit.serve('/inner', `<body style="margin: 0"><button style="${styled('left: 20px; top: 30px')}">Inner</button>`);
    const surface = await kit.showPage(
      '<iframe src="/inner" style="position: absolute; left: 500px; top: 300px; border: 0; width: 400px; height: 200px"></iframe>',
    );
    const target = { role: 'button', name: 'Inner', within: { css: 'iframe' } } as const;
    const [image] = await imagesBefore(surface, { action: 'click', target });
    const pixels = pixelsOf(image?.body ?? Buffer.alloc(0));
    expect(isMarked(pixels, 517, 350)).toBe(true);
    expect(isMarked(pixels, 490, 350)).toBe(false);
    await surface.close();
  });

  test.each([
    ['covered', 'position: absolute; inset: 0; width: 100px'],
    ['not shown', 'display: none'],
  ])('marks the styled list over a native one that is %s', async (_, style) => {
    const surface = await kit.showPage(`<body style="margin: 0; background: #fff">
      <div style="${styled('left: 300px; top: 200px')}"><select aria-label="Size" style="${style}"><option>S<option>M</select>
      <div style="position: absolute; inset: 0; background: #fff">Size</div></div>`);
    const images = await imagesBefore(surface, { action: 'selectOption', target: { css: 'select' }, option: 'M' });
    expect(images).toHaveLength(1);
    expect(isMarked(pixelsOf(images[0]?.body ?? Buffer.alloc(0)), 297, 210)).toBe(true);
    await surface.close();
  });

  test('has no mark without a target, and is not taken for a screenshot action', async () => {
    const surface = await kit.showPage('<body style="background: #00f">');
    const [image] = await imagesBefore(surface, {
      action: 'navigate',
      url: kit.serve('/red', '<body style="background: #f00">'),
    });
    expect(pixelsOf(image?.body ?? Buffer.alloc(0)).at(600, 400)[2]).toBeGreaterThan(240);
    expect(await imagesBefore(surface, { action: 'screenshot' })).toEqual([]);
    await surface.close();
  });

  test('is omitted for a missing target and costs nothing if not requested', async () => {
    const surface = await kit.showPage('<button>Here</button>');
    const images: Screenshot[] = [];
    const missing: Action = { action: 'click', target: { role: 'button', name: 'Elsewhere' } };
    // The last attempt on a busy browser may take a fifth of the time, at most half a second.
    const { code } = await expectFailure(
      kit.act(surface, missing, testContext(3000, { onPreActionScreenshot: (image) => void images.push(image) })),
    );
    expect(code).toBe('TARGET_NOT_FOUND');
    expect(images).toEqual([]);
    await surface.close();
  });

  test('a target that moves meanwhile is still hit', async () => {
    const surface =
      await kit.showPage(`<button id="b" style="position: absolute; left: 10px" onclick="out.textContent = 'hit'">Run</button>
      <output id="out"></output><script>setTimeout(() => (b.style.left = '600px'), 60)</script>`);
    await imagesBefore(surface, { action: 'click', target: { role: 'button' } });
    expect(await output(kit, surface)).toBe('hit');
    await surface.close();
  });
});
