import type { ClusterHouse } from './cluster-installation.ts';
import { PodWatch } from './worker-pods.ts';

export const MINUTES = 60_000;

/**
 * A house for all tests of a `describe`, and a watch over its worker pods from before the first of them; both are taken away after the last test.
 * @param install makes the house, and whatever has to be there before the first test
 */
export function scene(install: () => Promise<ClusterHouse>): {
  readonly house: ClusterHouse;
  readonly watch: PodWatch;
} {
  let house: ClusterHouse | undefined;
  let watch: PodWatch | undefined;
  beforeAll(async () => {
    house = await install();
    watch = new PodWatch(house.name);
  }, 6 * MINUTES);
  afterAll(async () => {
    await watch?.close();
    await house?.end();
  }, 2 * MINUTES);
  const made = <Part>(part: Part | undefined): Part => {
    if (part === undefined) throw new Error('The house is not installed');
    return part;
  };
  return {
    get house() {
      return made(house);
    },
    get watch() {
      return made(watch);
    },
  };
}
