import sharp from 'sharp';
import { captureRedacted, type RedactingSession } from '../redaction/redacted-capture.ts';
import { findImageOnScreen } from '../screen/find-image.ts';
import { cropScreenshot } from '../screen/window-screenshot.ts';
import type { CapturedImage, CaptureOptions } from '../session/session-protocol.ts';
import type { Procedures, SessionGetter } from './running-session.ts';

const JPEG_QUALITY = 85;

/** Procedures for the pixels of the screen. */
export function screenProcedures(
  session: SessionGetter,
): Pick<
  Procedures,
  'capture' | 'waitForChange' | 'readScreenText' | 'windowScreenshot' | 'findImage' | 'unchangedMs' | 'restEnd'
> {
  return {
    capture: (options) => capture(session(), options),
    waitForChange: async ({ version, timeoutMs }) => {
      const { screen } = session();
      if (screen.version === version) {
        screen.takeDamage();
        await screen.changed(timeoutMs);
      }
      return { version: screen.version };
    },
    readScreenText: ({ region, timeoutMs }) => session().text.read(region, timeoutMs),
    windowScreenshot: async ({ region, keptId }) => {
      const screen = await captureRedacted(session());
      const screenshot = await cropScreenshot(screen, region);
      return screenshot && { ...screenshot, screenshotId: session().screenshots.add(screen, keptId) };
    },
    findImage: ({ data, threshold }) => findImageOnScreen(session().screen, data, threshold),
    unchangedMs: () => Promise.resolve(session().screen.unchangedMs),
    restEnd: ({ stableMs, timeoutMs }) => session().screen.restEnd(stableMs, timeoutMs),
  };
}

async function capture(session: RedactingSession, options: CaptureOptions): Promise<CapturedImage> {
  const { screen } = session;
  // Before the read: a change during it is reported again.
  screen.takeDamage();
  const { version } = screen;
  const { width, height, data } = await captureRedacted(session, options.isLive);
  const { maxWidth, maxHeight } = options;
  let image = sharp(data, { raw: { width, height, channels: 4 } }).removeAlpha();
  if (maxWidth || maxHeight)
    image = image.resize({
      width: maxWidth ?? undefined,
      height: maxHeight ?? undefined,
      fit: 'inside',
      withoutEnlargement: true,
    });
  image = options.format === 'png' ? image.png({ compressionLevel: 3 }) : image.jpeg({ quality: JPEG_QUALITY });
  const { data: body, info } = await image.toBuffer({ resolveWithObject: true });
  return { body, width: info.width, height: info.height, version };
}
