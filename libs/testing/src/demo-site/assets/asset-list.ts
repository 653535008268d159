import { createHash } from 'node:crypto';
import { ICON } from '../drawings.ts';
import type { Reply } from '../site-responses.ts';
import type { Route } from '../site-route.ts';
import { BASE_STYLES } from './base.styles.ts';
import { CATALOGUE_SCRIPT } from './catalogue.script.ts';
import { FORM_STYLES } from './form.styles.ts';
import { GALLERY_STYLES } from './gallery.styles.ts';
import { ORDER_SCRIPT } from './order.script.ts';
import { PAGE_STYLES } from './page.styles.ts';
import { SLOW_SCRIPT } from './slow.script.ts';
import { STOCK_SCRIPT } from './stock.script.ts';
import { TABLE_STYLES } from './table.styles.ts';
import { WIDGETS_SCRIPT } from './widgets.script.ts';

const SCRIPT = 'text/javascript; charset=utf-8';

/** Assets are strings in modules, because the site also runs from one bundled file. */
const ASSETS: Record<string, { type: string; content: string }> = {
  'site.css': {
    type: 'text/css; charset=utf-8',
    content: [BASE_STYLES, FORM_STYLES, TABLE_STYLES, PAGE_STYLES, GALLERY_STYLES].join('\n'),
  },
  'icon.svg': { type: 'image/svg+xml', content: ICON },
  'catalogue.js': { type: SCRIPT, content: CATALOGUE_SCRIPT },
  'order.js': { type: SCRIPT, content: ORDER_SCRIPT },
  'slow.js': { type: SCRIPT, content: SLOW_SCRIPT },
  'stock.js': { type: SCRIPT, content: STOCK_SCRIPT },
  'widgets.js': { type: SCRIPT, content: WIDGETS_SCRIPT },
};

export const assetRoutes: readonly Route[] = Object.entries(ASSETS).map(([name, { type, content }]) => ({
  method: 'GET',
  path: `/assets/${name}`,
  shape: 'data',
  access: 'public',
  handle: (): Reply => ({
    status: 200,
    headers: { 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable' },
    body: [content],
  }),
}));

/** URL of an asset with its version, so that browsers can cache it permanently. */
export function assetUrl(name: string): string {
  const asset = ASSETS[name];
  if (!asset) throw new Error(`There is no asset ${name}.`);
  return `/assets/${name}?v=${createHash('sha256').update(asset.content).digest('hex').slice(0, 8)}`;
}
