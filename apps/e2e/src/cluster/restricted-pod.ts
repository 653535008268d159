/**
 * A pod of the suite's own that Pod Security `restricted` takes.
 * @param image of the server, which has node
 * @param args what its process is
 * @param port where it listens: it is ready when it does
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
