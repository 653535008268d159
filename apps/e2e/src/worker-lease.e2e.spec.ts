import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { NetworkGate } from './chaos/system/network-gate.ts';
import { ControlTestSite } from './harness/control-test-site.ts';
import { assertExited, processTree, type ProcessFacts } from './harness/process-tree.ts';
import type { Program } from './harness/child-program.ts';
import { Stack } from './harness/stack.ts';
import { until } from './harness/poll-until.ts';

const run = promisify(execFile);

/**
 * A page that sends a message ten times a second. Its button appears when the site is ready, or after five seconds without a response,
 * which is when its worker lost the lease. After seven seconds each page sends `old`; by then a page without a response shows its
 * button. The memory that the page allocates identifies its process.
 */
const PAGE = `<!doctype html><title>Order</title>
<button hidden>Order</button>
<script>
  const kept = new Uint8Array(300e6).fill(1);
  const me = crypto.getRandomValues(new Uint32Array(1))[0];
  const say = (what) => fetch('/message?text=' + what + '-' + me, { method: 'POST' });
  const button = document.querySelector('button');
  const show = () => { button.hidden = false; };
  let answered = Date.now();
  setInterval(() => {
    say('here').then(() => { answered = Date.now(); });
    if (Date.now() - answered > 5000) show();
  }, 100);
  setTimeout(() => say('old'), 7000);
  fetch('/ready').then(show);
  button.onclick = () => Promise.all([say('clicked'), fetch('/clicked')]).then(() => { document.title = 'Ordered'; });
  addEventListener('pagehide', () => navigator.sendBeacon('/message?text=left-' + me + '-' + kept[0]));
</script>`;

/** The browser process of this worker with the most memory. */
async function largest(worker: Program): Promise<ProcessFacts & { megabytes: number }> {
  const pages = (await processTree(worker.pid)).filter(({ command }) => command.includes('--type=renderer'));
  const sizes = await Promise.all(
    pages.map(async (page) => {
      const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(page.pid)]).catch(() => ({ stdout: '0' }));
      return { ...page, megabytes: Number(stdout) / 1000 };
    }),
  );
  const [first] = sizes.sort((left, right) => right.megabytes - left.megabytes);
  if (!first) throw new Error(`${worker.name} shows no page`);
  return first;
}

describe('a worker that lost its lease, with an open browser', () => {
  let stack: Stack;
  let site: ControlTestSite;
  const gates: NetworkGate[] = [];

  beforeEach(async () => {
    site = await ControlTestSite.start(PAGE);
    // The gateway keeps the run of a connected worker for three lease times.
    stack = await Stack.start({ workers: 0, api: { PILOTHOUSE_LEASE_MS: '1500', PILOTHOUSE_RENEW_MS: '500' } });
    for (let count = 0; count < 2; count += 1) {
      const { port, protocol, pathname } = new URL(stack.workerSettings()['PILOTHOUSE_GATEWAY_URL']!);
      const gate = await NetworkGate.open(() => [Number(port)]);
      gates.push(gate);
      await stack.addWorker({ PILOTHOUSE_GATEWAY_URL: `${protocol}//127.0.0.1:${gate.port}${pathname}` });
    }
  });
  afterEach(async () => {
    site?.stop();
    await stack?.stop();
    await Promise.all(gates.splice(0).map((gate) => gate.close()));
  });

  const order = () => ({
    definition: {
      name: 'order',
      steps: [
        site.open,
        // The target appears later: the action waits, and its intent is durable.
        { action: 'click', target: { role: 'button', name: 'Order' }, timeout: 120, onInterrupted: 'rerun' },
        // The last step closes the page, so the click must have arrived.
        { action: 'waitFor', condition: { title: 'Ordered' }, timeout: 120 },
      ],
    },
  });

  /** Waits for a message of another page. @returns the number of the page */
  const otherPage = (...excludedPages: string[]) =>
    until('another page says that it is there', () =>
      site.messages
        .map((message) => message.split('-')[1])
        .find((page) => page !== undefined && !excludedPages.includes(page)),
    );
  const messagesOf = (page: string) => site.messages.filter((message) => message.split('-')[1] === page);

  test.each<[string, (index: number) => () => void]>([
    [
      'stopped',
      (index) => {
        stack.workers[index]!.signal('SIGSTOP');
        return () => stack.workers[index]!.signal('SIGCONT');
      },
    ],
    [
      'cut off',
      (index) => {
        gates[index]!.mode = 'frozen';
        return () => void (gates[index]!.mode = 'open');
      },
    ],
  ])('and was %s, acts no more, closes the browser, and continues with the next run', async (_, remove) => {
    const { client, workers } = stack;
    const { id } = await client.submit(order());
    await client.waitForEvent(id, ({ type, data }) => type === 'step.started' && data['action'] === 'click');
    const { worker: name } = await client.run(id);
    const index = workers.findIndex((worker) => worker.name === name);
    const [holder, successor] = [workers[index]!, workers[1 - index]!];
    const first = await otherPage();
    const page = await largest(holder);
    expect(page.megabytes).toBeGreaterThan(300);

    const release = remove(index);
    const second = await otherPage(first);
    const messageCount = messagesOf(first);
    await until('the button is there', () => site.messages.some((message) => message === `old-${second}`));
    site.ready();
    expect(await client.waitForEnd(id)).toMatchObject({ status: 'completed', worker: successor.name });
    expect([site.clickCount, site.messages]).toEqual([1, expect.arrayContaining([`clicked-${second}`])]);

    release();
    await holder.ready('it is done', () => holder.lines.some((line) => line.includes('"run ended"')) || undefined);
    await assertExited([page]);
    await successor.stop();
    const next = await client.submit(order());
    expect(await client.waitForEnd(next.id)).toMatchObject({ status: 'completed', worker: holder.name, attempts: 1 });
    expect(site.clickCount).toBe(2);
    expect(messagesOf(first)).toEqual(messageCount);
  });
});
