import { chart } from '../chart/chart-tools.fixture.ts';
import type { Values } from './cluster-installation.ts';

/** A version of the installation that can be installed. */
export interface Version {
  /** Folder of its chart. */
  readonly chart: string;
  /** Values that name its images. */
  readonly images: Values;
}

const images = (tag: string): Values => ({ 'image.server.tag': tag, 'image.worker.browser.tag': tag });

/** The previous commit: its chart is in PILOTHOUSE_PREVIOUS_CHART, its images have the tag `previous`. `scripts/cluster test` creates both. */
export const previousVersion = (): Version => {
  const { PILOTHOUSE_PREVIOUS_CHART: folder } = process.env;
  if (!folder) throw new Error('Set PILOTHOUSE_PREVIOUS_CHART to the chart of the commit before.');
  return { chart: folder, images: images('previous') };
};

/** This commit: its images have the tag `dev`. */
export const thisVersion: Version = { chart, images: images('dev') };
