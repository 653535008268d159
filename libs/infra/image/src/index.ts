export { renderModelDetail, renderModelImage } from './model-image.ts';
