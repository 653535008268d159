import type { ClusterInstallation } from './cluster-installation.ts';
import { PodWatch } from './worker-pods.ts';

export const MINUTES = 60_000;

/**
 * An installation for all tests of a `describe`, and a watch on its worker pods from the start; both are removed after
 * the last test.
 * @param install creates the installation and its prerequisites
 */
export function useClusterInstallation(install: () => Promise<ClusterInstallation>): {
  readonly installation: ClusterInstallation;
  readonly watch: PodWatch;
} {
  let installation: ClusterInstallation | undefined;
  let watch: PodWatch | undefined;
  beforeAll(async () => {
    installation = await install();
    watch = new PodWatch(installation.name);
  }, 6 * MINUTES);
  afterAll(async () => {
    await watch?.close();
    await installation?.dispose();
  }, 2 * MINUTES);
  const required = <Value>(value: Value | undefined): Value => {
    if (value === undefined) throw new Error('The release is not installed');
    return value;
  };
  return {
    get installation() {
      return required(installation);
    },
    get watch() {
      return required(watch);
    },
  };
}
