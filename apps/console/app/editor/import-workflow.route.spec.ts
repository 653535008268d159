import { action } from './import-workflow.route.ts';

async function imported(text: string) {
  const body = new FormData();
  body.set('text', text);
  const request = new Request('http://console.test/workflows/import', { method: 'POST', body });
  return action({ request } as Parameters<typeof action>[0]);
}

test('a recording becomes the text of a workflow', async () => {
  const recording = { title: 'My shop', steps: [{ type: 'navigate', url: 'https://shop.example/' }] };
  const { text, error } = await imported(JSON.stringify(recording));
  expect(error).toBeUndefined();
  expect(text).toContain('name: my-shop');
});

test('a file that is too large is rejected before parsing', async () => {
  const file = JSON.stringify({ title: 'x', steps: [], more: 'x'.repeat(1024 * 1024) });
  expect(await imported(file)).toEqual({
    text: '',
    notes: [],
    error: `The file has ${file.length} characters; the maximum is 1048576. Import a shorter file.`,
  });
});

test('a recording with too many steps is rejected with its field', async () => {
  const { error } = await imported(JSON.stringify({ title: 'x', steps: Array(1001).fill({ type: 'close' }) }));
  expect(error).toBe(
    'Not a Chrome DevTools recording: /steps A recording has at most 1000 steps: split it, or remove steps',
  );
});
