export { KubeClient, kubeVerbs, type KubeVerb } from './kube-client.ts';
export { KubeError, hasStatus } from './kube-error.ts';
export { KubeEventRecorder, type InvolvedObject } from './kube-events.ts';
export { LeaseLeaderElection, LeaseClient, type KubeLease } from './leader-election.ts';
export { readPodTemplate, templateHash, type ContainerSpec, type PodTemplate } from './pod-template.ts';
export { isFinished, podCondition, type Pod } from './kube-pod.ts';
export { podTermination, type PodTermination, isOnLostNode, podProblem } from './pod-problem.ts';
export { PodClient } from './pod-client.ts';
export { PodInformer, type PodChange } from './pod-informer.ts';
