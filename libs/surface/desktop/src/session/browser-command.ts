import { basename } from 'node:path';
import type { AppCommand } from './desktop-entry.ts';

/** Programs that are builds of Chromium. */
const CHROMIUM = new Set(['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge']);

/** Options of Chromium: publish every page over AT-SPI, and show no questions at the first start. */
const CHROMIUM_OPTIONS = [
  '--force-renderer-accessibility',
  '--no-first-run',
  '--no-default-browser-check',
  '--password-store=basic',
];

/**
 * Adds the options that a Chromium in a session needs. Other commands stay as they are.
 * @param isRoot true if it runs as root, where its sandbox refuses to start; `--test-type` hides the warning about that
 */
export function withBrowserOptions(command: AppCommand, isRoot: boolean): AppCommand {
  if (!CHROMIUM.has(basename(command.command))) return command;
  const options = isRoot ? [...CHROMIUM_OPTIONS, '--no-sandbox', '--test-type'] : CHROMIUM_OPTIONS;
  return { ...command, args: [...options, ...command.args] };
}
