import { actionsPage } from './actions-page.ts';
import { cliPage } from './cli-page.ts';
import { consoleShortcutsPage } from './console-shortcuts-page.ts';
import type { DocsPage } from './docs-page.ts';
import { envPage } from './env-page.ts';
import { errorsPage } from './errors-page.ts';
import { eventsPage } from './events-page.ts';
import { metricsPage } from './metrics-page.ts';
import { valuesPage } from './values-page.ts';

/** Generated pages that are in git. */
export const docsPages: readonly DocsPage[] = [
  actionsPage,
  cliPage,
  consoleShortcutsPage,
  envPage,
  errorsPage,
  eventsPage,
  metricsPage,
  valuesPage,
];
