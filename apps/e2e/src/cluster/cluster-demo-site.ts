import { restrictedPod } from './restricted-pod.ts';

/** Name of the pod and the Service of a demo site outside the release. */
const NAME = 'site';
const labels = { app: NAME };

/** Value of `egress.allow` with which the workers of a fleet reach that site. */
export const toSite = { to: [{ podSelector: { matchLabels: labels } }], ports: [{ port: 7180 }] };

/**
 * Starts a demo site outside the release. An upgrade would replace the demo site of the release, with its ledger and
 * its sessions.
 * @param image server image
 */
export const siteObjects = (image: string): object => ({
  apiVersion: 'v1',
  kind: 'List',
  items: [
    restrictedPod(NAME, labels, image, ['node', 'dist/site/main.js', '--host', '0.0.0.0', '--port', '7180'], 7180),
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: NAME, labels },
      spec: { selector: labels, ports: [{ port: 7180 }] },
    },
  ],
});
