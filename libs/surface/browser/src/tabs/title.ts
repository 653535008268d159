import type { Page } from 'playwright-core';

/**
 * The title of the document of a page; empty when it has none, or does not answer. Playwright says `Loading <address>` of a page that does
 * not answer while another document is on its way, and a condition would take that for a title.
 */
export async function documentTitle(page: Page): Promise<string> {
  const title = await page.title();
  return title.startsWith('Loading ') && URL.canParse(title.slice('Loading '.length)) ? '' : title;
}
