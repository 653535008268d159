import { findProgram } from '@pilothouse/infra-embedded';
import { chromium, type Browser } from 'playwright-core';

/** Chromium arguments of the product. */
const ARGUMENTS = [
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
];

export const VIEWPORT = { width: 1280, height: 800 } as const;

/** Starts a headless Chromium for a peer. */
export function launchChromium(): Promise<Browser> {
  const executablePath = ['chromium', 'chromium-browser', 'google-chrome'].map(findProgram).find(Boolean);
  if (!executablePath)
    throw new Error('There is no Chromium on the PATH: install it (Debian: apt-get install chromium)');
  return chromium.launch({ executablePath, headless: true, args: ARGUMENTS });
}
