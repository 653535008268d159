export {
  renderModelDetail,
  renderModelZoom,
  renderModelImage,
  renderPlainImage,
  type PlainImage,
} from './model-image.ts';
export { blackenAreas, type BlackenedImage } from './blackened-image.ts';
export { perceptualHash } from './perceptual-hash.ts';
