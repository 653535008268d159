import sharp from 'sharp';
import type { ScreenImage } from '../x/screen-capture.ts';
import { screenshotHash } from './screenshot-hash.ts';

async function draw(shapes: string): Promise<ScreenImage> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="400"><rect width="640" height="400" fill="#eee"/>${shapes}</svg>`;
  const { data, info } = await sharp(Buffer.from(svg)).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
}

const toolBar = '<rect width="640" height="60" fill="#345"/><rect x="20" y="90" width="180" height="280" fill="#9ab"/>';
const distance = (first: string, second: string): number =>
  [...(BigInt(`0x${first}`) ^ BigInt(`0x${second}`)).toString(2)].filter((bit) => bit === '1').length;

test('is equal for a screenshot with a caret', async () => {
  const [plain, withCaret] = await Promise.all([
    draw(toolBar),
    draw(`${toolBar}<rect x="300" y="200" width="2" height="18"/>`),
  ]);
  expect(await screenshotHash(plain)).toMatch(/^[0-9a-f]{16}$/);
  expect(distance(await screenshotHash(plain), await screenshotHash(withCaret))).toBe(0);
});

test('differs for a screenshot with a dialog', async () => {
  const [plain, withDialog] = await Promise.all([
    draw(toolBar),
    draw(`${toolBar}<rect x="220" y="120" width="300" height="180" fill="#111"/>`),
  ]);
  expect(distance(await screenshotHash(plain), await screenshotHash(withDialog))).toBeGreaterThan(8);
});
