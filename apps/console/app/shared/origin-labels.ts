import type { RunOriginKind } from '@pilothouse/contract/run/run-origin.schema';

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
