import type { PodStatus } from '../kube-pod.ts';

/** Statuses as a real cluster (Kubernetes 1.34, containerd) reported them. */
export const recordedPods = {
  unschedulable: {
    conditions: [
      {
        lastTransitionTime: '2026-11-21T10:58:41Z',
        message:
          '0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu. no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.',
        reason: 'Unschedulable',
        status: 'False',
        type: 'PodScheduled',
      },
    ],
    phase: 'Pending',
  },
  backingOffFromPull: {
    conditions: [
      {
        lastTransitionTime: '2026-11-21T10:58:43Z',
        status: 'True',
        type: 'PodReadyToStartContainers',
      },
      {
        lastTransitionTime: '2026-11-21T10:58:42Z',
        status: 'True',
        type: 'Initialized',
      },
      {
        lastTransitionTime: '2026-11-21T10:58:42Z',
        message: 'containers with unready status: [worker]',
        reason: 'ContainersNotReady',
        status: 'False',
        type: 'Ready',
      },
      {
        lastTransitionTime: '2026-11-21T10:58:42Z',
        message: 'containers with unready status: [worker]',
        reason: 'ContainersNotReady',
        status: 'False',
        type: 'ContainersReady',
      },
      {
        lastTransitionTime: '2026-11-21T10:58:42Z',
        status: 'True',
        type: 'PodScheduled',
      },
    ],
    containerStatuses: [
      {
        image: 'example.invalid/none:1',
        name: 'worker',
        ready: false,
        restartCount: 0,
        state: {
          waiting: {
            message:
              'Back-off pulling image "example.invalid/none:1": ErrImagePull: failed to pull and unpack image "example.invalid/none:1": failed to resolve reference "example.invalid/none:1": failed to do request: Head "https://example.invalid/v2/none/manifests/1": dial tcp: lookup example.invalid on 192.0.2.53:53: dial udp 192.0.2.53:53: connect: network is unreachable',
            reason: 'ImagePullBackOff',
          },
        },
      },
    ],
    phase: 'Pending',
  },
  outOfMemory: {
    conditions: [
      {
        lastTransitionTime: '2026-11-21T10:58:49Z',
        status: 'False',
        type: 'PodReadyToStartContainers',
      },
      {
        lastTransitionTime: '2026-11-21T10:58:43Z',
        status: 'True',
        type: 'Initialized',
      },
      {
        lastTransitionTime: '2026-11-21T10:58:48Z',
        reason: 'PodFailed',
        status: 'False',
        type: 'Ready',
      },
      {
        lastTransitionTime: '2026-11-21T10:58:48Z',
        reason: 'PodFailed',
        status: 'False',
        type: 'ContainersReady',
      },
      {
        lastTransitionTime: '2026-11-21T10:58:43Z',
        status: 'True',
        type: 'PodScheduled',
      },
    ],
    containerStatuses: [
      {
        image: 'example.com/worker:1',
        name: 'worker',
        ready: false,
        restartCount: 0,
        state: {
          terminated: {
            exitCode: 137,
            finishedAt: '2026-11-21T10:58:47Z',
            reason: 'OOMKilled',
            startedAt: '2026-11-21T10:58:45Z',
          },
        },
      },
    ],
    phase: 'Failed',
  },
  exitCode3: {
    conditions: [
      {
        lastTransitionTime: '2026-11-21T10:58:48Z',
        status: 'False',
        type: 'PodReadyToStartContainers',
      },
      {
        lastTransitionTime: '2026-11-21T10:58:45Z',
        status: 'True',
        type: 'Initialized',
      },
      {
        lastTransitionTime: '2026-11-21T10:58:45Z',
        reason: 'PodFailed',
        status: 'False',
        type: 'Ready',
      },
      {
        lastTransitionTime: '2026-11-21T10:58:45Z',
        reason: 'PodFailed',
        status: 'False',
        type: 'ContainersReady',
      },
      {
        lastTransitionTime: '2026-11-21T10:58:45Z',
        status: 'True',
        type: 'PodScheduled',
      },
    ],
    containerStatuses: [
      {
        image: 'example.com/worker:1',
        name: 'worker',
        ready: false,
        restartCount: 0,
        state: {
          terminated: {
            exitCode: 3,
            finishedAt: '2026-11-21T10:58:46Z',
            reason: 'Error',
            startedAt: '2026-11-21T10:58:46Z',
          },
        },
      },
    ],
    phase: 'Failed',
  },
  noSuchProgram: {
    conditions: [
      {
        lastTransitionTime: '2026-11-21T10:58:49Z',
        status: 'False',
        type: 'PodReadyToStartContainers',
      },
      {
        lastTransitionTime: '2026-11-21T10:58:46Z',
        status: 'True',
        type: 'Initialized',
      },
      {
        lastTransitionTime: '2026-11-21T10:58:46Z',
        reason: 'PodFailed',
        status: 'False',
        type: 'Ready',
      },
      {
        lastTransitionTime: '2026-11-21T10:58:46Z',
        reason: 'PodFailed',
        status: 'False',
        type: 'ContainersReady',
      },
      {
        lastTransitionTime: '2026-11-21T10:58:46Z',
        status: 'True',
        type: 'PodScheduled',
      },
    ],
    containerStatuses: [
      {
        image: 'example.com/worker:1',
        name: 'worker',
        ready: false,
        restartCount: 0,
        state: {
          terminated: {
            exitCode: 128,
            finishedAt: '2026-11-21T10:58:47Z',
            message:
              'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "/does/not/exist": stat /does/not/exist: no such file or directory: unknown',
            reason: 'StartError',
            startedAt: '1970-01-01T00:00:00Z',
          },
        },
      },
    ],
    phase: 'Failed',
  },
  noSuchSecret: {
    conditions: [
      {
        lastTransitionTime: '2026-11-21T10:58:49Z',
        status: 'True',
        type: 'PodReadyToStartContainers',
      },
      {
        lastTransitionTime: '2026-11-21T10:58:48Z',
        status: 'True',
        type: 'Initialized',
      },
      {
        lastTransitionTime: '2026-11-21T10:58:48Z',
        message: 'containers with unready status: [worker]',
        reason: 'ContainersNotReady',
        status: 'False',
        type: 'Ready',
      },
      {
        lastTransitionTime: '2026-11-21T10:58:48Z',
        message: 'containers with unready status: [worker]',
        reason: 'ContainersNotReady',
        status: 'False',
        type: 'ContainersReady',
      },
      {
        lastTransitionTime: '2026-11-21T10:58:48Z',
        status: 'True',
        type: 'PodScheduled',
      },
    ],
    containerStatuses: [
      {
        image: 'example.com/worker:1',
        name: 'worker',
        ready: false,
        restartCount: 0,
        state: {
          waiting: {
            message: 'secret "none" not found',
            reason: 'CreateContainerConfigError',
          },
        },
      },
    ],
    phase: 'Pending',
  },
  nodeUnreachable: {
    conditions: [
      {
        lastTransitionTime: '2026-11-21T10:59:38Z',
        status: 'True',
        type: 'Initialized',
      },
      {
        lastTransitionTime: '2026-11-21T10:59:57Z',
        status: 'False',
        type: 'Ready',
      },
      {
        lastTransitionTime: '2026-11-21T10:59:38Z',
        status: 'True',
        type: 'ContainersReady',
      },
      {
        lastTransitionTime: '2026-11-21T10:59:38Z',
        status: 'True',
        type: 'PodScheduled',
      },
      {
        lastTransitionTime: '2026-11-21T11:00:07Z',
        message: 'Taint manager: deleting due to NoExecute taint',
        reason: 'DeletionByTaintManager',
        status: 'True',
        type: 'DisruptionTarget',
      },
    ],
    containerStatuses: [
      {
        image: 'example.com/worker:1',
        name: 'worker',
        ready: true,
        restartCount: 0,
        state: {
          running: {
            startedAt: '2026-11-21T10:59:38Z',
          },
        },
      },
    ],
    phase: 'Running',
  },
  pullFailed: {
    conditions: [
      {
        lastTransitionTime: '2026-11-21T10:58:43Z',
        status: 'True',
        type: 'PodReadyToStartContainers',
      },
      {
        lastTransitionTime: '2026-11-21T10:58:42Z',
        status: 'True',
        type: 'Initialized',
      },
      {
        lastTransitionTime: '2026-11-21T10:58:42Z',
        message: 'containers with unready status: [worker]',
        reason: 'ContainersNotReady',
        status: 'False',
        type: 'Ready',
      },
      {
        lastTransitionTime: '2026-11-21T10:58:42Z',
        message: 'containers with unready status: [worker]',
        reason: 'ContainersNotReady',
        status: 'False',
        type: 'ContainersReady',
      },
      {
        lastTransitionTime: '2026-11-21T10:58:42Z',
        status: 'True',
        type: 'PodScheduled',
      },
    ],
    containerStatuses: [
      {
        image: 'example.invalid/none:1',
        name: 'worker',
        ready: false,
        restartCount: 0,
        state: {
          waiting: {
            message:
              'failed to pull and unpack image "example.invalid/none:1": failed to resolve reference "example.invalid/none:1": failed to do request: Head "https://example.invalid/v2/none/manifests/1": dial tcp: lookup example.invalid on 192.0.2.53:53: dial udp 192.0.2.53:53: connect: network is unreachable',
            reason: 'ErrImagePull',
          },
        },
      },
    ],
    phase: 'Pending',
  },
} satisfies Record<string, PodStatus>;
