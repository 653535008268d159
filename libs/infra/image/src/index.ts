export { renderModelDetail, renderModelImage, renderPlainImage, type PlainImage } from './model-image.ts';
export { blackenAreas, type BlackenedPicture } from './blackened-picture.ts';
export { perceptualHash } from './perceptual-hash.ts';
