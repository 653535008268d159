import type { Checkpoint } from '@pilothouse/contract/worker/to-worker.messages';
import { buildAssignment } from '@pilothouse/infra-link/testing';
import { RunProgress } from './run-progress.ts';

/* Applications that a workflow opened before a goal. */

const open = (app: string) => ({ action: 'openApp' as const, app });
const steps = [open('org.xfce.mousepad'), open('debian-xterm'), { action: 'goal' as const, goal: 'Write' }];
const completed = (app: string) => ({ status: 'completed' as const, value: { app, title: 'x' } });
const progressOf = (checkpoints: Checkpoint[] = []) =>
  new RunProgress(buildAssignment({ name: 'notes', surface: 'desktop', steps }, { checkpoints }), new Map());

test('are those of completed steps, the last one first, with the names that their windows state', () => {
  const progress = progressOf();
  expect(progress.openedApps).toEqual([]);
  progress.complete(completed('mousepad'));
  progress.complete({ status: 'completed', value: { app: 'XTerm', title: 'x' } });
  expect(progress.openedApps).toEqual(['debian-xterm', 'XTerm', 'org.xfce.mousepad', 'mousepad']);
});

test('do not include those of skipped steps', () => {
  const progress = progressOf();
  progress.complete(completed('mousepad'));
  progress.complete({ status: 'skipped', value: null });
  expect(progress.openedApps).toEqual(['org.xfce.mousepad', 'mousepad']);
});

test('are known to the worker that takes over', () => {
  const checkpoint = { step: 0, status: 'completed', epoch: 1, value: { app: 'mousepad' }, verifiable: false } as const;
  const progress = progressOf([checkpoint]);
  progress.resumeAt(1, null, undefined);
  expect(progress.openedApps).toEqual(['org.xfce.mousepad', 'mousepad']);
});
