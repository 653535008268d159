import { modelRequestMessageSchema, type ModelRequest } from '@pilothouse/contract/model/model.schema';
import { imagesOf, restoreImages, dedupeImages } from './request-images.ts';

const image = (data: string) => ({ image: { contentType: 'image/jpeg' as const, data } });
const request = (...images: string[]): ModelRequest => ({
  role: 'vision',
  prompt: { name: 'spec', version: 1 },
  system: '',
  messages: [{ role: 'user', parts: [{ text: 'Look' }, ...images.map(image)] }],
});

test('an image that the receiver has is replaced by its index and restored', () => {
  const previous = request('YQ==', 'Yg==');
  const deduped = dedupeImages(request('Yg==', 'Yw=='), imagesOf(previous));
  expect(deduped.messages[0]?.parts).toEqual([{ text: 'Look' }, { sentImage: 1 }, image('Yw==')]);
  expect(modelRequestMessageSchema.parse(deduped)).toEqual(deduped);
  expect(restoreImages(deduped, imagesOf(previous))).toEqual(request('Yg==', 'Yw=='));
});

test('without a previous request all images are sent', () => {
  expect(dedupeImages(request('YQ=='), [])).toEqual(request('YQ=='));
});

test('an unknown image is rejected', () => {
  const deduped = dedupeImages(request('YQ=='), ['YQ==']);
  expect(() => restoreImages(deduped, [])).toThrow('names image 0');
});
