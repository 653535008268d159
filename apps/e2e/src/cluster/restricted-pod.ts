/**
 * A pod for the suite that conforms to Pod Security `restricted`.
 * @param image of the server, which has node
 * @param args command of its process
 * @param port port of its readiness probe
 */
export const restrictedPod = (
  name: string,
  labels: Record<string, string>,
  image: string,
  args: readonly string[],
  port: number,
): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels },
  spec: {
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 1,
    securityContext: { runAsNonRoot: true, runAsUser: 10_001, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [
      {
        name,
        image,
        imagePullPolicy: 'IfNotPresent',
        args,
        readinessProbe: { tcpSocket: { port }, periodSeconds: 1 },
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
      },
    ],
  },
});
