import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { House } from '../house/house.ts';
import type { RunRecord } from './record.ts';

/** The workflow that a new house shows. */
export const demoFile = (house: House) => join(house.root, 'docs/examples/harbour-order.yaml');

export interface DemoOptions {
  house: House;
  record: RunRecord;
  say: (line: string) => void;
  signal: AbortSignal;
}

/** Submits the demo workflow and shows its steps as they happen. Answers whether it completed. */
export async function runDemo({ house, say }: DemoOptions): Promise<boolean> {
  if (!existsSync(demoFile(house))) {
    say('The demo workflow is not part of this checkout.');
    return false;
  }
  say('The demo cannot be submitted yet.');
  return false;
}
