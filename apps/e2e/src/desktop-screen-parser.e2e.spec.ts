import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { TestServer } from '@pilothouse/testing/test-server';
import { Stack } from './harness/stack.ts';

/*
 * Clicks an element in a terminal, which publishes no accessible elements. Uses a worker, the gateway, the API and a server with the
 * protocol of OmniParser.
 */
describe('a desktop run with a screen parser', () => {
  const token = `pf_${randomBytes(24).toString('hex')}`;
  /** Screenshots that the server received. */
  const screenshots: Buffer[] = [];
  let status = 200;
  let server: TestServer;
  let stack: Stack;

  beforeAll(async () => {
    server = new TestServer((request, response) => {
      void text(request).then((body) => {
        screenshots.push(Buffer.from((JSON.parse(body) as { base64_image: string }).base64_image, 'base64'));
        const box = { type: 'icon', bbox: [0.2, 0.4, 0.8, 0.6], interactivity: true, content: 'Canvas' };
        response.writeHead(status).end(JSON.stringify({ parsed_content_list: [box] }));
      });
    });
    await server.start();
    stack = await Stack.start({
      workers: 0,
      api: {
        PILOTHOUSE_FLEETS: JSON.stringify([
          { name: 'desktops', surface: 'desktop', token, externalWorkers: true, slots: 1, maxWorkers: 2, idleSlots: 0 },
        ]),
        PILOTHOUSE_SCREEN_PARSER_URL: server.origin,
      },
    });
    await stack.addWorker({
      ...stack.workerToken(token),
      ...{ PILOTHOUSE_SURFACE: 'desktop', PILOTHOUSE_SLOTS: '1' },
    });
  });
  afterAll(async () => {
    await stack?.stop();
    await server?.stop();
  });
  beforeEach(() => void screenshots.splice(0));

  const run = async (steps: readonly object[], output: string) => {
    const definition = { name: 'canvas', surface: 'desktop', steps, output };
    const { id } = await stack.client.submit({ definition, capture: { screenshots: 'none' } });
    return stack.client.waitForEnd(id);
  };
  /** The terminal reports presses of the mouse as text, which goes to a file. */
  const reportPresses = (heading: string) => String.raw`clear; printf '${heading}\n\033[?1000;1006h'; cat -v > presses`;
  const readPresses = [
    { action: 'press', key: 'Enter' },
    { action: 'press', key: 'Control+D' },
    { action: 'openApp', app: 'org.xfce.mousepad', args: ['presses'] },
    { action: 'press', key: 'Control+A' },
    { action: 'press', key: 'Control+C' },
    { action: 'readClipboard', id: 'presses' },
  ];
  const openTerminal = (heading: string) => [
    { action: 'openApp', app: 'debian-xterm' },
    { action: 'type', text: `${reportPresses(heading)}\n` },
  ];

  test('clicks an element that only the parser knows', async () => {
    const click = { action: 'click', target: { role: 'button', name: 'Canvas' } };
    const ended = await run([...openTerminal('First'), click, ...readPresses], '{{steps.presses.value}}');
    // The terminal has 80 columns and 24 lines.
    expect(ended).toMatchObject({
      status: 'completed',
      output: expect.stringMatching(/\^\[\[<0;4\d;1[123]M/) as string,
    });
    expect(screenshots[0]?.subarray(0, 3).toString('hex')).toBe('ffd8ff');
  });

  test('continues with a screen point when the parser fails', async () => {
    status = 500;
    const maximize = { action: 'setWindow', state: 'maximized' };
    const click = {
      action: 'click',
      target: [{ role: 'button', name: 'Canvas' }, { point: { x: 500, y: 500 } }],
    };
    const ended = await run(
      [...openTerminal('Another screenshot'), maximize, click, ...readPresses],
      '{{steps.presses.value}}',
    );
    expect(ended).toMatchObject({ status: 'completed', output: expect.stringContaining('^[[<0;') as string });
    expect(screenshots.length).toBeGreaterThan(0);
  });
});
