import type { KubeRequest } from './kube-client.ts';
import { KubeError } from './kube-error.ts';
import type { Pod } from './kube-pod.ts';
import { PodSecretClient } from './secret-client.ts';

const pod: Pod = {
  metadata: {
    name: 'browser-a',
    uid: 'u-1',
    resourceVersion: '1',
    creationTimestamp: '',
    labels: { fleet: 'browser' },
  },
  spec: {},
  status: {},
};
const signal = new AbortController().signal;

/** A client of an API server that fails with the error, if given. */
function world(error?: KubeError) {
  const requests: KubeRequest[] = [];
  const call = <Answer>(request: KubeRequest): Promise<Answer> => {
    requests.push(request);
    return error ? Promise.reject(error) : Promise.resolve({} as Answer);
  };
  return { secrets: new PodSecretClient({ call }, 'agents'), requests };
}

test('the Secret of a pod has its name, cannot be changed, and is deleted with the pod', async () => {
  const { secrets, requests } = world();
  await secrets.create(pod, { token: 'jt_1' }, signal);
  expect(requests).toMatchObject([
    {
      verb: 'create',
      path: '/api/v1/namespaces/agents/secrets',
      body: {
        kind: 'Secret',
        metadata: {
          name: 'browser-a',
          labels: { fleet: 'browser' },
          ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'browser-a', uid: 'u-1', controller: true }],
        },
        immutable: true,
        stringData: { token: 'jt_1' },
      },
    },
  ]);
});

test('an existing Secret is the result of an earlier attempt; other errors are reported', async () => {
  await world(new KubeError(409, 'AlreadyExists', 'exists')).secrets.create(pod, {}, signal);
  const forbidden = new KubeError(403, 'Forbidden', 'secrets is forbidden');
  await expect(world(forbidden).secrets.create(pod, {}, signal)).rejects.toBe(forbidden);
});
