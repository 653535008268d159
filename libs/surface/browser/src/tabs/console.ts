import type { ConsoleLine } from '@pilothouse/contract';
import type { Page } from 'playwright-core';

/** Tells what a page writes to its console, and the errors that no script caught. */
export function recordConsole(page: Page, tell: (line: ConsoleLine) => void): void {
  page.on('console', (message) => {
    const { url, line, column } = message.location();
    const at = new Date(message.timestamp()).toISOString();
    tell({ at, type: message.type(), text: message.text(), page: page.url(), from: `${url}:${line}:${column}` });
  });
  page.on('pageerror', (error) => {
    const at = new Date().toISOString();
    tell({ at, type: 'uncaught', text: error.stack ?? error.message, page: page.url(), from: null });
  });
}
