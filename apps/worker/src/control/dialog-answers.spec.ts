import type { OpenDialog } from '@pilothouse/core/ports/surface-recorders.port';
import { systemTimers } from '@pilothouse/core/time/timers';
import { Dialogs } from './dialog-answers.ts';

const dialog: OpenDialog = { kind: 'confirm', question: 'Is s3cret right?', text: null };

function start(timeoutMs: number) {
  const events: [string, string, object][] = [];
  const reporter = { add: (...event: [string, string, object]) => void events.push(event), flush: async () => {} };
  const masker = { text: (text: string) => text.replace('s3cret', '••••') };
  const dialogs = new Dialogs({ events: reporter, masker, timers: systemTimers }, timeoutMs);
  const requestReply = (expiresAtMs: number) =>
    dialogs.requestReply(dialog, { operator: 'Ada', step: { step: 0, id: null }, expiresAtMs: () => expiresAtMs });
  return { events, dialogs, requestReply };
}

const soon = () => performance.now() + 60_000;

test('a dialog that is not answered in time is dismissed; its secrets are masked', async () => {
  const { events, dialogs, requestReply } = start(20);
  expect(await requestReply(soon())).toBeNull();
  expect(dialogs.isOpen).toBe(false);
  expect(events).toEqual([
    ['dialog.opened', 'The page asks Ada: Is •••• right?', expect.objectContaining({ timeoutMs: 20, operator: 'Ada' })],
    ['dialog.closed', 'The dialog of the page was dismissed', expect.objectContaining({ reason: 'expired' })],
  ]);
});

test('a dialog is dismissed when control ends without input', async () => {
  const { events, requestReply } = start(60_000);
  expect(await requestReply(performance.now() + 20)).toBeNull();
  expect(events[1]?.[2]).toMatchObject({ accepted: false, reason: 'released' });
});

test('the number of dialogs that ask a person is limited', () => {
  const { dialogs, requestReply } = start(60_000);
  for (let count = 0; count < 50; count += 1) expect(requestReply(soon())).not.toBeNull();
  expect(requestReply(soon())).toBeNull();
  dialogs.release();
  expect(dialogs.isOpen).toBe(false);
});
