import type { ScreenRegion } from '@pilothouse/contract/model/native-turn.schema';
import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import { listChanged } from '@pilothouse/core/agent/page-queries';
import {
  secretBounds,
  type ModelScreenshot,
  type ViewportPoint,
} from '@pilothouse/core/observation/annotated-screenshot';
import type { Masker } from '@pilothouse/core/secret/secret-masker';
import {
  renderModelDetail,
  renderModelImage,
  renderModelZoom,
  renderPlainImage,
  type PlainImage,
} from '@pilothouse/infra-image';
import { readSurface } from '../actions/surface-reads.ts';
import { observeWithRetry, type ObserveScope } from './page-observer.ts';

/** Milliseconds for one screenshot. */
const SCREENSHOT_TIMEOUT_MS = 10_000;
/** Maximum screenshots of a page that keeps changing. */
const MAX_SCREENSHOTS = 3;

export type ScreenshotScope = ObserveScope & {
  readonly masker: Pick<Masker, 'text'>;
};

const isSamePage = (first: Observation, second: Observation) => first.url === second.url && !listChanged(first, second);

/** Observation of the viewport, with its screenshot. */
export interface PageScreenshot {
  readonly observation: Observation;
  readonly screenshot: ModelScreenshot;
  /** Enlarged regions, in the order of the request. Missing: none. */
  readonly zooms?: readonly ModelScreenshot[];
}

/** Observation of the viewport, with a raw image. The screenshot for models is rendered on demand. */
export interface Capture {
  readonly observation: Observation;
  render(): Promise<ModelScreenshot>;
  /** Renders the image without marks. */
  renderPlain(): Promise<PlainImage>;
  /** Renders the part around a point. */
  renderDetail(spot: ViewportPoint): Promise<ModelScreenshot>;
  /** Renders a region in as many pixels as a model sees of a screen. */
  renderZoom(region: ScreenRegion): Promise<ModelScreenshot>;
}

/**
 * Takes an image of the viewport. Observes the page before and after, so that secrets which appear meanwhile are covered too.
 * @param current current observation, if there is one
 * @throws as `Surface.observe` and `Surface.screenshot`; the abort reason
 */
export async function capture(scope: ScreenshotScope, current?: Observation): Promise<Capture> {
  let previous = current ?? (await observeWithRetry('page', scope));
  for (let remaining = MAX_SCREENSHOTS; ; remaining -= 1) {
    const { body } = await readSurface(scope.clock.monotonic() + SCREENSHOT_TIMEOUT_MS, scope, (context) =>
      scope.surface.screenshot({}, context),
    );
    const next = await observeWithRetry('page', scope);
    if (remaining === 1 || isSamePage(previous, next)) {
      // The text of the page shows if a truncated name may contain a secret.
      const { text } = next;
      const observations = [{ ...previous, ...(text && { text }) }, next];
      const areas = () => observations.flatMap((observation) => secretBounds(observation, scope.masker));
      const secrets = areas();
      return {
        observation: next,
        // A secret may be known only later.
        renderPlain: () => renderPlainImage(body, next, areas()),
        render: () => renderModelImage(body, next, secrets),
        renderDetail: (spot) => renderModelDetail(body, next, secrets, spot),
        renderZoom: (region) => renderModelZoom(body, next, secrets, region),
      };
    }
    previous = next;
  }
}

/**
 * Takes a screenshot of the viewport with element indexes, and with secrets covered. Draws both on the image, not on the page.
 * @param regions parts to enlarge
 * @throws as `capture`
 */
export async function capturePage(
  scope: ScreenshotScope,
  regions: readonly ScreenRegion[] = [],
): Promise<PageScreenshot> {
  const { observation, render, renderZoom } = await capture(scope);
  const screenshot = await render();
  if (regions.length === 0) return { observation, screenshot };
  return { observation, screenshot, zooms: await Promise.all(regions.map(renderZoom)) };
}

/** Takes a screenshot of the area around a point, with secrets covered. @throws as `capture` */
export async function captureDetail(spot: ViewportPoint, scope: ScreenshotScope): Promise<ModelScreenshot> {
  const { renderDetail } = await capture(scope);
  return renderDetail(spot);
}

/**
 * Screenshot from before the first action. Captured while the page becomes stable or a model answers. Rendered on demand, because most goals
 * never need it.
 */
export class PreActionScreenshot {
  private readonly scope: ScreenshotScope;
  private observation: Observation | null = null;
  private capture: Promise<Capture> | undefined;

  constructor(scope: ScreenshotScope) {
    this.scope = scope;
  }

  /**
   * Starts the capture, and restarts it for another page. Errors are thrown by `finish` and `render`.
   * @param current current observation
   */
  start(current: Observation | null): void {
    if (this.capture && (!current || (this.observation && isSamePage(this.observation, current)))) return;
    this.observation = current;
    this.capture = capture(this.scope, current ?? undefined);
    this.capture.catch(() => undefined);
  }

  /** Finishes the capture. Afterwards the page may change. @param current current observation, if `start` was not called @throws as `capture` */
  async finish(current: Observation | null): Promise<void> {
    this.start(current);
    await this.capture;
  }

  /** The capture that was started last; undefined: none. */
  get lastCapture(): Promise<Capture> | undefined {
    return this.capture;
  }

  /** @returns null if no screenshot was captured */
  async render(): Promise<ModelScreenshot | null> {
    const capture = await this.capture;
    return capture ? capture.render() : null;
  }
}
