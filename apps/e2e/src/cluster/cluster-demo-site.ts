import { restrictedPod } from './restricted-pod.ts';

/** The name of the pod and the Service of a demo site that is no part of a release. */
const NAME = 'site';
const labels = { app: NAME };

/** What a fleet says under `egress.allow` so that its workers reach that site. */
export const toSite = { to: [{ podSelector: { matchLabels: labels } }], ports: [{ port: 7180 }] };

/**
 * The demo site beside a release: one that is upgraded takes its own demo site along, and with it the ledger and the sessions of whoever is logged in.
 * @param image of the server
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
