import { sentModelRequestSchema, type ModelRequest } from '@pilothouse/contract';
import { imagesOf, withImages, withoutImages } from './images.ts';

const image = (data: string) => ({ image: { contentType: 'image/jpeg' as const, data } });
const request = (...images: string[]): ModelRequest => ({
  role: 'see',
  prompt: { name: 'spec', version: 1 },
  system: '',
  messages: [{ role: 'user', parts: [{ text: 'Look' }, ...images.map(image)] }],
});

test('an image that the other side has is named, and comes back as it was', () => {
  const before = request('YQ==', 'Yg==');
  const sent = withoutImages(request('Yg==', 'Yw=='), imagesOf(before));
  expect(sent.messages[0]?.parts).toEqual([{ text: 'Look' }, { kept: 1 }, image('Yw==')]);
  expect(sentModelRequestSchema.parse(sent)).toEqual(sent);
  expect(withImages(sent, imagesOf(before))).toEqual(request('Yg==', 'Yw=='));
});

test('without a request before everything is sent', () => {
  expect(withoutImages(request('YQ=='), [])).toEqual(request('YQ=='));
});

test('an image that did not come is refused', () => {
  const sent = withoutImages(request('YQ=='), ['YQ==']);
  expect(() => withImages(sent, [])).toThrow('names image 0');
});
