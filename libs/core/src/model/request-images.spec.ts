import { modelRequestMessageSchema, type ModelRequest } from '@pilothouse/contract';
import { imagesOf, restoreImages, dedupeImages } from './request-images.ts';

const image = (data: string) => ({ image: { contentType: 'image/jpeg' as const, data } });
const request = (...images: string[]): ModelRequest => ({
  role: 'vision',
  prompt: { name: 'spec', version: 1 },
  system: '',
  messages: [{ role: 'user', parts: [{ text: 'Look' }, ...images.map(image)] }],
});

test('an image that the other side has is named, and comes back as it was', () => {
  const before = request('YQ==', 'Yg==');
  const sent = dedupeImages(request('Yg==', 'Yw=='), imagesOf(before));
  expect(sent.messages[0]?.parts).toEqual([{ text: 'Look' }, { sentImage: 1 }, image('Yw==')]);
  expect(modelRequestMessageSchema.parse(sent)).toEqual(sent);
  expect(restoreImages(sent, imagesOf(before))).toEqual(request('Yg==', 'Yw=='));
});

test('without a request before everything is sent', () => {
  expect(dedupeImages(request('YQ=='), [])).toEqual(request('YQ=='));
});

test('an image that did not come is refused', () => {
  const sent = dedupeImages(request('YQ=='), ['YQ==']);
  expect(() => restoreImages(sent, [])).toThrow('names image 0');
});
