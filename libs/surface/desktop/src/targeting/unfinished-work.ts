import type { WindowFacts } from '../x/window-manager.ts';

/** Marks of unsaved changes in a title: `*notes.txt`, `notes.txt* - Editor`, `notes.txt [modified]`, `• notes.txt`. */
const UNSAVED = /^\s*[*•●]|\*\s+[-–—]|[[(](\*|modified)[\])]/i;

/** Sentences about windows of a run that has ended: open dialogs, and documents with unsaved changes. */
export const unfinishedWork = (windows: readonly Pick<WindowFacts, 'title' | 'appId' | 'isDialog'>[]): string[] =>
  windows.flatMap(({ title, appId, isDialog }) => {
    const subject = `the window ${JSON.stringify(title)} of ${appId}`;
    if (isDialog) return [`The steps have ended, but ${subject} is an open dialog: answer or close it`];
    return UNSAVED.test(title)
      ? [`The steps have ended, but ${subject} has unsaved changes: save it if you need them`]
      : [];
  });
