import type { ProposalView } from '@pilothouse/contract/api/proposals.routes';
import type { WorkerView } from '@pilothouse/contract/fleet/fleet.schema';
import type { Role } from '@pilothouse/contract/project/project-roles';
import type { RunOriginKind } from '@pilothouse/contract/run/run-origin.schema';

export const roleLabels: Readonly<Record<Role, string>> = {
  viewer: 'Viewer',
  operator: 'Operator',
  admin: 'Admin',
};

export const workerStateLabels: Readonly<Record<WorkerView['state'], string>> = {
  starting: 'Starting',
  ready: 'Ready',
  draining: 'Draining',
  disconnected: 'Disconnected',
};

/** Labels of proposal statuses. */
export const proposalStatusLabels: Readonly<Record<ProposalView['status'], string>> = {
  open: 'Open',
  published: 'Published',
  rejected: 'Rejected',
  superseded: 'Superseded',
};

const scalingLabels: Readonly<Record<string, string>> = {
  create: 'started',
  drain: 'drained',
  stop: 'stopped',
  'below-min': 'below minimum',
  waiting: 'queued runs',
  'idle-target': 'below idle target',
  cordon: 'cordoned',
  uncordon: 'uncordoned',
  manual: 'manual',
  cooldown: 'idle cooldown',
  'above-max': 'above maximum',
  'old-template': 'outdated template',
  'start-timeout': 'start timeout',
  'drain-timeout': 'drain timeout',
  'out-of-touch': 'heartbeat lost',
  'not-needed': 'not needed',
};

/** Label of a scaling action or reason. */
export const scalingLabel = (word: string): string => scalingLabels[word] ?? word;

/** Label of each run origin. */
export const originLabels: Readonly<Record<RunOriginKind, string>> = {
  api: 'API',
  console: 'Console',
  schedule: 'Schedule',
  webhook: 'Webhook',
  batch: 'Batch',
  parent: 'Parent run',
  replay: 'Replay of',
  retry: 'Retry of',
};

export const isOriginKind = (text: string): text is RunOriginKind => Object.hasOwn(originLabels, text);
